"""No text that somebody wrote can act in the reader's page."""

import pytest

from documents.rendering import render_markdown
from tests.documents.html_checks import CHECKS, ELSEWHERE, IN_A_BROWSER, tags_of, text_of
from tests.documents.xss_cases import CASES, Case

QUICK = [case for case in CASES if case.kind != "nest"]  # those: test_rendering_limits


@pytest.mark.parametrize("case", QUICK, ids=lambda case: case.id)
def test_it_renders_harmless_html(case: Case) -> None:
    tags = tags_of(render_markdown(case.markdown))
    objections = {name: list(check(tags)) for name, check in CHECKS.items()}
    assert {name: found for name, found in objections.items() if found} == {}


@pytest.mark.parametrize("case", [case for case in QUICK if case.text], ids=lambda case: case.id)
def test_it_keeps_what_people_write(case: Case) -> None:
    assert case.text in text_of(render_markdown(case.markdown))


def test_each_check_that_a_case_names_is_made_somewhere() -> None:
    named = {check for case in CASES for check in case.checks}
    assert named <= CHECKS.keys() | IN_A_BROWSER | ELSEWHERE


@pytest.mark.parametrize(
    ("check", "html"),
    [
        ("no_script", "<p><script>x</script>"),
        ("no_event_attr", "<p onclick=x>"),
        ("no_bad_url", "<a href=' java\tscript:x'>"),
        ("no_bad_url", "<a href='&#x6a;avascript:x'>"),
        ("no_remote_load", "<img src=https://evil.example>"),
        ("no_remote_load", "<p background=x>"),
        ("no_style", "<p style=x>"),
        ("no_frame", "<iframe>"),
        ("no_form", "<input type=text disabled>"),
        ("no_form", "<input type=checkbox>"),
        ("no_meta", "<base href=x>"),
        ("no_foreign", "<svg>"),
        ("no_clobber", "<p id=location>"),
        ("no_clobber", "<p name=u-x>"),
        ("no_target_opener", "<a href=https://e.example rel=nofollow>"),
        ("no_target_opener", "<a href=#x target=_blank>"),
        ("no_template", "<noscript>"),
        ("no_framework_attr", "<p data-hx-get=x>"),
        ("no_framework_attr", "<p @click=x>"),
        ("unique_ids", "<p id=u-a><p id=u-a>"),
        ("no_link_in_a_link", "<a><b><a>"),
    ],
)
def test_the_checks_object_to_what_they_are_there_for(check: str, html: str) -> None:
    assert list(CHECKS[check](tags_of(html)))
