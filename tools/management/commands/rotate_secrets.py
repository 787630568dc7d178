"""`manage.py rotate_secrets`: exit code 1 if a secret can't be read."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tools.secrets.errors import SecretKeyMissing
from tools.secrets.rotation import rotate_secrets


class Command(BaseCommand):
    help = (
        "Seal every secret with the newest key. Put the new key before the old ones into "
        "GATEHOUSE_SECRETS_KEY (a generated one is in the file secrets_key of GATEHOUSE_HOME: "
        'GATEHOUSE_SECRETS_KEY="NEW,$(cat var/secrets_key)"), restart everything, run this, then '
        "take the old ones out and restart once more."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = rotate_secrets()
        except SecretKeyMissing as error:
            raise CommandError(error.message) from error
        self.stdout.write(
            f"{done.resealed} sealed anew, {done.up_to_date} were sealed with the newest key"
        )
        for name, problem in done.unreadable.items():
            self.stderr.write(f"{name} can't be read: {problem}")
        if done.unreadable:
            sys.exit(1)
