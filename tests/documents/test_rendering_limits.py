"""Rendering ends within 2 s and 256 MB, whatever the text; in a process that can be weighed."""

import json
import os
import subprocess
import sys

from tests.documents.xss_cases import CASES

PROGRAM = """
import json, resource, time
import tests.isolation
from documents.rendering import render_markdown
from tests.documents.html_checks import CHECKS, tags_of
from tests.documents.xss_cases import CASES

slowest, harmful = {}, []
for case in CASES:
    if case.kind == "nest":
        started = time.process_time()
        html = render_markdown(case.markdown)
        slowest[case.id] = time.process_time() - started
        if "<" in html[:1] and len(html) < 100_000:  # the checks are slower than what they check
            tags = tags_of(html)
            harmful += [case.id for check in CHECKS.values() if list(check(tags))]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"seconds": slowest, "harmful": harmful, "peak_mb": peak}))
"""


def test_it_ends_in_time_and_within_its_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, check=True, text=True, env=os.environ
    )
    measured = json.loads(done.stdout)
    assert measured["seconds"].keys() == {case.id for case in CASES if case.kind == "nest"}
    assert max(measured["seconds"].values()) < 2
    assert measured["peak_mb"] < 256
    assert measured["harmful"] == []
