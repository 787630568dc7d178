"""`manage.py describe_tools [TYPE…] [--format markdown|json]`: the docs of tool types."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tools.docs.markdown import markdown_of
from tools.docs.types import docs_of
from tools.errors import UnknownToolType
from tools.registry import get_tool_type, list_tool_types


class Command(BaseCommand):
    help = "Print what tool types are and how they are configured and called, from their code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("types", nargs="*", metavar="TYPE", help="all of them by default")
        parser.add_argument("--format", choices=("markdown", "json"), default="markdown")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            types = [get_tool_type(name) for name in options["types"]] or list_tool_types()
        except UnknownToolType as error:
            raise CommandError(error.message) from error
        docs = [docs_of(tool_type) for tool_type in types]
        if options["format"] == "json":
            facts = [asdict(one) for one in docs]
            self.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False))
        else:
            self.stdout.write(markdown_of(docs), ending="")
