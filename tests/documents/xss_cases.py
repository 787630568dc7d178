"""The hostile texts, and the ordinary ones that must stay readable."""

import json
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).parents[1] / "data" / "markdown_xss.json"


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    markdown: str
    checks: tuple[str, ...]
    text: str

    @property
    def kind(self) -> str:
        return self.id.partition("-")[0]


def _load() -> list[Case]:
    cases = []
    for case in json.loads(_FILE.read_text())["cases"]:
        parts = case.get("markdown_parts", [])
        markdown = case.get("markdown", "".join(text * times for text, times in parts))
        cases.append(
            Case(case["id"], markdown, tuple(case["checks"]), case.get("text_contains", ""))
        )
    return cases


CASES = _load()
