"""`manage.py erase_person USER [--account]`: no audit event leads to them any more."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.base.models import User
from skills.erasure import PersonActive, erase_person


class Command(BaseCommand):
    help = (
        "Delete what ties audit events to a person. Their events stay and still verify. The "
        "account has to be deactivated. With --account it is deleted with all that is theirs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="user name")
        parser.add_argument(
            "--account",
            action="store_true",
            help="delete the account too: conversations, documents, memories, grants, jobs, all",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            erased = erase_person(None, user.pk, with_account=options["account"])
        except PersonActive as error:
            raise CommandError(str(error.message)) from error
        told = "erased: their events lead to nobody" if erased else "no event led to them"
        told += "; the account and all that was theirs is deleted" if options["account"] else ""
        self.stdout.write(f"{user.username}: {told}")
