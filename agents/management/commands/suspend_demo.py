"""`manage.py suspend_demo`: switch off the people whom demo.json lets in."""

from typing import Any

from django.core.management.base import BaseCommand

from agents.demo import suspend_demo


class Command(BaseCommand):
    help = "Switch off the demo people; load_demo switches them on again."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        names = suspend_demo()
        if names:
            self.stdout.write(
                f"Demo people switched off, their passwords lie in a file: {', '.join(names)}."
                " Make your own operator: manage.py createsuperuser"
            )
