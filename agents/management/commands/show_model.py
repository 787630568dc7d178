"""`manage.py show_model`: which model agents speak with that have no profile of their own."""

from typing import Any

from django.core.management.base import BaseCommand

from agents.model_clients.resolve import describe_environment_model


class Command(BaseCommand):
    help = "Print the model of agents that have no model profile."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"Model: {describe_environment_model()}")
