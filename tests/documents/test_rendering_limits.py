"""Rendering ends within 2 s and 256 MB, whatever the text; in a process that can be weighed."""

import json
import os
import subprocess
import sys

import pytest

from documents.rendering import render
from documents.rendering.limits import MAX_LENGTH
from tests.documents.xss_cases import CASES

# The peak of each text alone, by the kernel, in a child of its own: what a text before it has left
# behind is not weighed with it. Not by `getrusage`: its peak is inherited from the process that
# started this one, which in a long test run is larger than the limit.
PROGRAM = """
import json, multiprocessing, re, time
from pathlib import Path
import tests.isolation
from documents.rendering import render_markdown
from tests.documents.html_checks import CHECKS, tags_of
from tests.documents.test_rendering_limits import LONGEST
from tests.documents.xss_cases import CASES

def weigh(case):
    name, text = case
    Path("/proc/self/clear_refs").write_text("5")
    started = time.process_time()
    html = render_markdown(text)
    seconds = time.process_time() - started
    peak_kb = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
    # The checks are slower than what they check.
    tags = tags_of(html) if "<" in html[:1] and len(html) < 100_000 else []
    harmful = [name for check in CHECKS.values() if list(check(tags))] if tags else []
    return name, (seconds, int(peak_kb) // 1024), harmful

cases = [*((c.id, c.markdown) for c in CASES if c.kind == "nest"), *LONGEST.items()]
with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as children:
    weighed = children.map(weigh, cases, chunksize=1)
measured = {name: cost for name, cost, _ in weighed}
harmful = [name for _, _, names in weighed for name in names]
print(json.dumps({"measured": measured, "harmful": harmful}))
"""
LONGEST = {
    "headings": "#\n" * (MAX_LENGTH // 2),
    "footnotes": "[^a]: x\n\n" + "[^a]" * ((MAX_LENGTH - 9) // 4),
    "cells": "|a" * 500 + "|\n" + "|-" * 500 + "|\n" + "|b|\n" * ((MAX_LENGTH - 2002) // 4),
    "images": "![a](b)" * (MAX_LENGTH // 7),
}


def test_it_ends_in_time_and_within_its_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, check=True, text=True, env=os.environ
    )
    found = json.loads(done.stdout)
    measured = found["measured"]
    assert measured.keys() == {c.id for c in CASES if c.kind == "nest"} | LONGEST.keys()
    assert {name: s for name, (s, _mb) in measured.items() if s >= 2} == {}
    assert {name: mb for name, (_s, mb) in measured.items() if mb >= 256} == {}
    assert found["harmful"] == []


@pytest.mark.parametrize(("length", "as_written"), [(MAX_LENGTH, False), (MAX_LENGTH + 1, True)])
def test_a_text_past_any_length_is_shown_as_written(length: int, as_written: bool) -> None:
    text = "a" * length
    assert ("<pre>" in render(text).html) == as_written
