"""`manage.py verify_audit [--head COUNT:SEAL]`: exit code 1 if the audit was tampered with."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from skills.verify import Report, verify_audit


class Command(BaseCommand):
    help = (
        "Check every audit event against the seals. Keep the head that it prints outside this "
        "machine: given back with --head, it shows whether the end was cut."
    )
    requires_system_checks: list[str] = []  # a missing trigger is reported here, with the rest

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--head", default="", help="COUNT:SEAL, as printed by an earlier run")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = verify_audit(options["head"])
        except ValueError as error:
            raise CommandError(f"--head: {error}") from error
        for line in [_verdict(report), *_summary(report), *_problems(report)]:
            self.stdout.write(line)
        if report.problems:
            sys.exit(1)


def _verdict(report: Report) -> str:
    sealed = f"{report.events} events under {report.seals} seals"
    if not report.problems:
        return f"OK: {sealed} are as they were recorded"
    count = report.problem_count
    return f"BROKEN: {count} problem{'s' if count > 1 else ''} in {sealed}"


def _summary(report: Report) -> list[str]:
    lines = []
    if report.dropped_through:
        lines.append(f"events of the seals up to {report.dropped_through} dropped by retention")
    if report.unsealed:
        since = report.unsealed_since.isoformat() if report.unsealed_since else ""
        lines.append(f"{report.unsealed} events not sealed yet, the first of {since}")
    return [*lines, f"head {report.head}"]


def _problems(report: Report) -> list[str]:
    lines = [f"{problem.kind}: {problem.text}" for problem in report.problems]
    more = report.problem_count - len(report.problems)
    return [*lines, f"… and {more} more"] if more > 0 else lines
