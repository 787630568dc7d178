"""`manage.py serve`: migrate, load the demo or switch it off, and run the product's processes.

One import of Django for all of them, so that a second `make run` is ready within seconds.
"""

import os
import socket
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS
from django.utils.module_loading import import_string

from config.base.processes.supervisor import supervise
from config.base.sqlite.machine import OtherMachine, hold_database, release_database

WEB, WORKER = "web", "worker"


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


def check_machine() -> None:
    """On SQLite: that no other machine runs on this database. Raises `CommandError`."""
    try:
        hold_database()
    except OtherMachine as error:
        raise CommandError(error.message) from error


class Command(BaseCommand):
    help = "Migrate the database, load the demo (SQLite with DEBUG only), start the processes."
    requires_system_checks: list[str] = []  # it runs them itself, some once there are tables

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-migrate", action="store_true", help="the database is up to date")
        parser.add_argument(
            "--only",
            choices=(WEB, WORKER),
            help=f"{WEB}: that process alone, unsupervised; {WORKER}: all the others",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        only: str | None = options["only"]
        if only != WORKER:
            check_port(settings.HOST, settings.PORT)
        call_command("check")
        check_machine()
        if not options["no_migrate"]:
            call_command("migrate", verbosity=0)
        self.check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])  # warnings, too
        if only != WORKER:
            self._load_demo()
        call_command("show_model", stdout=self.stdout)
        self.stdout.write(f"Gatehouse: {_what_runs(only)} (Ctrl+C ends it)")
        self.stdout.flush()
        _run(only)

    def _load_demo(self) -> None:
        with_demo = settings.DEBUG and not settings.DATABASE_URL
        call_command("load_demo" if with_demo else "suspend_demo", stdout=self.stdout)


def _others() -> dict[str, str]:
    return {name: path for name, path in settings.PROCESSES.items() if name != WEB}


def _what_runs(only: str | None) -> str:
    return ", ".join(_others()) if only == WORKER else f"http://{settings.HOST}:{settings.PORT}/"


def _run(only: str | None) -> None:
    if only == WEB:
        import_string(settings.PROCESSES[WEB])()  # its host releases the database
        return
    supervisor = os.getpid()
    try:
        supervise(_others() if only == WORKER else settings.PROCESSES)
    finally:
        if os.getpid() == supervisor:  # each child comes by here, too
            release_database()
