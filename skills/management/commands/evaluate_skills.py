"""`manage.py evaluate_skills [--skill ID] [--json]`: exit code 1 if a case fails."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from skills.errors import UnknownSkill
from skills.evaluations.services import evaluate_skills
from skills.models import SkillEvaluation

_HEAD = ("skill", "cases", "passed", "failed")


class Command(BaseCommand):
    help = (
        "Judge the skills by the cases that they ship with, and keep the results. A case that "
        "passed the last time and fails now is named as a regression."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--skill", action="append", default=[], help="Only this one.")
        parser.add_argument("--json", action="store_true", help="As JSON instead of a table.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = evaluate_skills(None, options["skill"])
        except UnknownSkill as error:
            raise CommandError(f"--skill: {error.message}") from error
        lines = [_as_json(rows)] if options["json"] else _as_table(rows)
        for line in lines:
            self.stdout.write(line)
        if any(row.failed_count for row in rows):
            sys.exit(1)


def _as_json(rows: Sequence[SkillEvaluation]) -> str:
    told = [
        {
            "skill_id": row.skill_id,
            "version": row.version,
            "cases": row.case_count,
            "passed": row.passed_count,
            "failed": row.failed,
            "evaluated_at": row.evaluated_at.isoformat(),
        }
        for row in rows
    ]
    return json.dumps(told, ensure_ascii=False, indent=2)


def _as_table(rows: Sequence[SkillEvaluation]) -> Iterator[str]:
    cells = [_HEAD, *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for skill, *counts in cells:
        figures = [text.rjust(width) for text, width in zip(counts, widths[1:], strict=True)]
        yield "  ".join((skill.ljust(widths[0]), *figures))
    for row in rows:
        yield from _failing(row)


def _cells(row: SkillEvaluation) -> tuple[str, ...]:
    return str(row), str(row.case_count), str(row.passed_count), str(row.failed_count)


def _failing(row: SkillEvaluation) -> Iterator[str]:
    for one in row.failed:
        kind = "REGRESSION" if one["regression"] else "FAILED"
        yield f"{kind} {row.skill_id}: {one['case']}: {one['problem']}"
