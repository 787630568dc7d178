"""`manage.py load_demo`: demo people and the agent `guide`; their sign-ins are in demo.json."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.demo import DemoRefused, demo_file, load_demo


class Command(BaseCommand):
    help = "Load the demo data. Only on SQLite with DEBUG on; a second time changes nothing."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            signins = load_demo()
        except DemoRefused as error:
            raise CommandError(error.message) from error
        self.stdout.write("Demo sign-ins:")
        for name, signin in signins.items():
            self.stdout.write(f"  {name:10} {signin['password']}")
        self.stdout.write(f"  (also, with API tokens, in {demo_file()})")
