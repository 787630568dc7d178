"""The confirmation card, state by state."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.template.loader import render_to_string

URLS = {act: f"/actions/7/{act}/" for act in ("confirm", "dismiss", "respond", "resolve")}

# state: which of confirm, dismiss, respond, resolve the person is offered
OFFERS: dict[str, set[str]] = {
    "draft": {"confirm", "dismiss", "respond"},
    "needs_input": {"confirm", "dismiss", "respond"},
    "confirmed": set(),
    "executed": set(),
    "failed": {"confirm"},
    "outcome_unknown": {"resolve"},
    "dismissed": set(),
}


def render_card(**changes: Any) -> str:
    draft = {
        "id": "7",
        "kind": "action",
        "version": 3,
        "state": "draft",
        "state_label": "waiting for you",
        "tool": "document",
        "title": "Delete “Notes”",
        "fields": [],
        "missing_fields": [],
        "targets": [{"type": "document", "id": "9", "version": 12, "title": "Notes"}],
        "reversible": True,
        "risk": "L2",
        "risk_label": "L2: reversible write",
        "expires_at": datetime.now(UTC) + timedelta(minutes=29, seconds=30),
        "decision": {"reason": "Deleting needs a person", "reasons": []},
        "idempotency_key": "key-1",
    }
    return render_to_string(
        "partials/_draft_card.html",
        {"draft": draft | changes, "card_urls": URLS, "csrf_token": "t"},
    )


@pytest.mark.parametrize("state", OFFERS)
def test_it_offers_what_the_state_allows(state: str) -> None:
    html = render_card(state=state)
    assert {act for act in URLS if f'action="{URLS[act]}"' in html} == OFFERS[state]
    assert f'data-state="{state}"' in html


def test_it_binds_the_decision_to_what_was_seen() -> None:
    html = render_card()
    assert 'name="expected_version" value="3"' in html
    assert 'name="idempotency_key" value="key-1"' in html


def test_every_form_works_with_and_without_htmx() -> None:
    html = render_card()
    assert (
        html.count('method="post"') == html.count("hx-post=") == html.count("csrfmiddlewaretoken")
    )


def test_it_names_the_target_with_its_version_and_the_time_left() -> None:
    html = render_card()
    assert "Notes" in html
    assert ">r12<" in html
    assert "29\xa0minutes" in html


def test_a_digest_is_no_revision_and_is_told_by_its_beginning() -> None:
    target = {"type": "mcp_tool", "id": "search", "version": "ab" * 32, "title": ""}
    html = render_card(targets=[target])
    assert ">abababab…<" in html
    assert "ab" * 32 not in html


def test_a_diff_is_coloured_line_by_line_and_keeps_its_signs() -> None:
    html = render_card(
        preview={"kind": "diff", "text": "--- a\n+++ b\n@@ -1 +1 @@\n-<b>\n+new\n x"}
    )
    assert '<span class="diff-line diff-file">--- a</span>' in html
    assert '<span class="diff-line diff-hunk">@@ -1 +1 @@</span>' in html
    assert '<span class="diff-line diff-del">-&lt;b&gt;</span>' in html
    assert '<span class="diff-line diff-add">+new</span>' in html
    assert '<span class="diff-line"> x</span>' in html


def test_only_editable_and_missing_fields_are_inputs() -> None:
    fields = [
        {"name": "id", "label": "Document", "value": "9", "editable": False},
        {"name": "title", "label": "Title", "value": 'A "quoted" one', "editable": True},
        {"name": "text", "label": "Text", "value": "\nfirst", "editable": True, "multiline": True},
        {"name": "when", "label": "When", "value": None, "editable": False},
    ]
    html = render_card(state="needs_input", fields=fields, missing_fields=["when"])
    assert 'name="argument-id"' not in html
    assert 'name="argument-title" value="A &quot;quoted&quot; one"' in html
    assert 'name="argument-when" value="" required' in html
    assert ">\n\nfirst</textarea>" in html  # the parser drops the first line end of a textarea


def test_it_says_what_cannot_be_undone() -> None:
    assert "Cannot be undone" in render_card(reversible=False)
    assert "Can be undone" in render_card()
    assert "Can be undone" not in render_card(changes_nothing=True)
    assert "Changes nothing" in render_card(changes_nothing=True)


def test_one_that_failed_for_good_offers_nothing_and_says_why() -> None:
    fields = [{"name": "text", "label": "Text", "value": "a", "editable": True}]
    gone = "Its tool is gone."
    html = render_card(state="failed", unrepeatable=gone, fields=fields, error={"message": "No."})
    assert not [url for url in URLS.values() if f'action="{url}"' in html]
    assert "Try again" not in html
    assert 'name="argument-text"' not in html
    assert gone in html
    assert "No." in html


def test_a_conflict_asks_to_look_again() -> None:
    html = render_card(conflict="Bob saved it.")
    assert "It has changed, look again" in html
    assert "Bob saved it." in html


def test_an_expired_draft_says_that_nothing_was_done() -> None:
    html = render_card(state="dismissed", dismiss_reason="expired")
    assert 'data-state="expired"' in html
    assert "nothing was done" in html


def test_the_receipt_is_shown_when_it_is_done() -> None:
    assert "2026-03-02" in render_card(state="executed", receipt={"time": "2026-03-02"})


def test_a_decided_card_says_by_whom_and_keeps_what_it_was() -> None:
    html = render_card(
        state="executed",
        decided_label="Confirmed by you",
        decided_at=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
        preview={"kind": "text", "text": "Hello there"},
    )
    assert "Confirmed by you · <time" in html
    folded = html.partition("<details")[2]
    assert "What it was" in folded
    assert "Hello there" in folded


def test_what_a_gate_refused_is_said_with_its_reason() -> None:
    html = render_card(
        state="dismissed",
        dismiss_reason="denied",
        error={"code": "denied", "message": "The tool is switched off."},
        decision={"reason": "Deleting needs a person"},
    )
    assert "not permitted any more" in html
    assert "The tool is switched off." in html
    assert "Deleting needs a person" not in html


def test_text_of_a_model_is_never_markup() -> None:
    html = render_card(
        title="<script>1</script>",
        scope="<script>2</script>",
        preview={"kind": "text", "text": "<script>3</script>"},
        sources=[{"label": "<script>4</script>"}],
        fields=[{"name": "a", "label": "<script>5", "value": "<script>6", "editable": True}],
        decision={"reason": "<script>7", "reasons": [{"gate": "g", "reason": "<script>8"}]},
    )
    assert "<script" not in html
