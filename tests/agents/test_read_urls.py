"""What stands in results is found, and a page of nothing but links holds nobody up."""

from typing import Any

import pytest

from agents.models import RunStep
from agents.runs import read_urls
from agents.runs.read_urls import MOST_URLS, ReadUrls


def step_of(content: str, **arguments: Any) -> RunStep:
    called = {"name": "fetch", "arguments": {"url": "http://a.example/", **arguments}}
    result = {"provenance": ["untrusted"], "success": True, "data": {"content": content}}
    return RunStep(n=1, tool_calls=[called, called], results={"0": result})


@pytest.mark.parametrize("text", ["{}", "[x]({})", "see <{}>.", "({}), and so on"])
def test_it_is_found_as_people_and_markdown_write_it(text: str) -> None:
    assert ReadUrls([step_of(text.format("http://B.example/x"))])("http://b.example/x")


def test_each_result_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def note(url: str) -> str:
        parsed.append(url)
        return url

    monkeypatch.setattr(read_urls, "spelled", note)
    step = step_of("http://b.example/1 http://b.example/2")
    has_read = ReadUrls([step])
    assert has_read("http://b.example/2")
    assert not has_read("http://b.example/3")
    step.results["1"] = {**step.results["0"], "data": {"content": "http://b.example/3"}}
    assert has_read("http://b.example/3")
    assert sorted(parsed) == [f"http://b.example/{n}" for n in (1, 2, 2, 3, 3, 3)]


def test_what_stands_behind_thousands_of_links_needs_a_person() -> None:
    links = [f"http://b.example/{n}" for n in range(MOST_URLS + 1)]
    has_read = ReadUrls([step_of(" ".join(links))])
    assert [has_read(links[0]), has_read(links[-2]), has_read(links[-1])] == [True, True, False]
