"""`manage.py serve`: migrate, load the demo or switch it off, and serve the product.

One process and one import of Django, so that a second `make run` is ready within seconds.
"""

import socket
from argparse import ArgumentParser
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError


def check_port(host: str, port: int) -> None:
    """Before anything is migrated or printed. Raises `CommandError`."""
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = error.strerror or error
        message = f"Can't listen on {host}:{port} ({reason}). Set HOST and PORT to what is free."
        raise CommandError(message) from error


class Command(BaseCommand):
    help = "Migrate the database, load the demo (SQLite with DEBUG only), start the web process."
    requires_system_checks: list[str] = []  # migrate runs them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-migrate", action="store_true", help="the database is up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        check_port(settings.HOST, settings.PORT)
        call_command("check")
        if not options["no_migrate"]:
            call_command("migrate", verbosity=0)
        with_demo = settings.DEBUG and not settings.DATABASE_URL
        call_command("load_demo" if with_demo else "suspend_demo", stdout=self.stdout)
        call_command("show_model", stdout=self.stdout)
        self.stdout.write(f"Gatehouse: http://{settings.HOST}:{settings.PORT}/ (Ctrl+C ends it)")
        self.stdout.flush()
        uvicorn.run(
            "config.asgi:application",
            host=settings.HOST,
            port=settings.PORT,
            log_level="warning",
            lifespan="on",
            timeout_graceful_shutdown=2,  # an open stream must not hold the process
            server_header=False,
        )
