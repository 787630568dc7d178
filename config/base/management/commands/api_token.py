"""`manage.py api_token USER [--name N] [--days D] [--scopes a,b]`: prints a new API token."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.errors import InvalidInput
from config.base.models import Scope, User
from config.base.tokens import create_token


class Command(BaseCommand):
    help = "Make an API token and print it once. Default scopes: all but actions:confirm."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="whose token it is (user name)")
        parser.add_argument("--name", default="command line")
        parser.add_argument("--days", type=int, help="valid for so many days (default: no end)")
        parser.add_argument("--scopes", help=f"separated by commas: {_scopes()}")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        days = options["days"]
        if days is not None and not 1 <= days <= 36_500:
            raise CommandError("--days is between 1 and 36500.")
        try:
            _row, token = create_token(
                user,
                actor=Actor(user=user, origin=Origin.ADMIN),
                name=options["name"],
                scopes=[part for part in options["scopes"].split(",") if part]
                if options["scopes"] is not None
                else None,
                expires_at=timezone.now() + timedelta(days=days) if days else None,
            )
        except InvalidInput as error:
            raise CommandError(error.message) from error
        self.stdout.write(token)


def _scopes() -> str:
    return "; ".join(f"{scope.value} – {scope.label}" for scope in Scope)
