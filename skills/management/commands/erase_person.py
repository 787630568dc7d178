"""`manage.py erase_person USER`: no audit event leads to them any more."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.base.models import User
from skills.erasure import PersonActive, erase_person


class Command(BaseCommand):
    help = (
        "Delete what ties audit events to a person. Their events stay and still verify. The "
        "account has to be deactivated; delete it as well to erase what else is theirs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            erased = erase_person(None, user.pk)
        except PersonActive as error:
            raise CommandError(str(error.message)) from error
        told = "erased: their events lead to nobody" if erased else "no event led to them"
        self.stdout.write(f"{user.username}: {told}")
