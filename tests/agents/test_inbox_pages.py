"""The inbox of actions and its decisions, as pages and forms."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from agents.models import Agent, Conversation
from config.base.models import User
from documents.models import Document
from tests.agents.cards import conversation_of, make_document, parked, parked_delete
from tests.agents.pages import HTMX, form_of, notices, one, page, soup
from tools.enums import DraftState
from tools.models import ActionDraft, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_runs")]


@pytest.fixture
def client(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def conversation(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide, title="Holidays", context_version=1)


# --- The inbox ---


def test_an_empty_inbox_says_what_comes_here(client: Client) -> None:
    assert "Nothing waits for you" in page(client, "/actions/").text
    assert "Nothing decided yet" in page(client, "/actions/?tab=decided").text


def test_what_waits_comes_oldest_first_with_where_it_is_from(
    client: Client, alice: User, bob: User, conversation: Conversation
) -> None:
    first = parked_delete(alice, make_document(alice, "A"), conversation_id=conversation.pk)
    second = parked_delete(alice, make_document(alice, "B"))
    parked_delete(bob)
    found = page(client, "/actions/")
    cards = [card["data-draft"] for card in found.select("article.draft")]
    assert cards == [str(first.pk), str(second.pk)]
    assert one(found, ".inbox-origin a")["href"] == f"/chat/{conversation.pk}/"


def test_the_tabs_divide_what_needs_a_person_from_what_is_settled(
    client: Client, alice: User
) -> None:
    drafts = {state: parked_delete(alice) for state in DraftState}
    for state, draft in drafts.items():
        ActionDraft.objects.filter(pk=draft.pk).update(state=state)
    needs = {DraftState.DRAFT, DraftState.NEEDS_INPUT, DraftState.OUTCOME_UNKNOWN}

    def shown(url: str) -> set[str]:
        return {str(card["data-draft"]) for card in page(client, url).select("article.draft")}

    assert shown("/actions/") == {str(drafts[state].pk) for state in needs}
    assert shown("/actions/?tab=decided") == {
        str(draft.pk) for state, draft in drafts.items() if state not in needs
    }


@pytest.mark.parametrize(
    ("at", "counts"),
    [
        ("http://testserver/actions/", {"waiting": "1", "decided": "1", "standing": "0"}),
        (
            "http://testserver/actions/?tab=decided",
            {"waiting": "1", "decided": "1", "standing": "0"},
        ),
        ("http://testserver/chat/", {}),
        ("", {}),
    ],
)
@pytest.mark.parametrize("act", ["confirm", "dismiss"])
def test_the_counts_of_the_tabs_come_with_the_card(
    client: Client, alice: User, at: str, counts: dict[str, str], act: str
) -> None:
    draft, _other = parked_delete(alice), parked_delete(alice)
    shown = [str(tag["id"]) for tag in page(client, "/actions/").select(".tab .count")]
    assert shown == ["tab-count-waiting", "tab-count-decided", "tab-count-standing"]
    body = {"expected_version": draft.version, "idempotency_key": "k"}
    headers = {**HTMX, "HX-Current-URL": at}
    answer = soup(client.post(f"/actions/{draft.pk}/{act}/", body, headers=headers))
    told = {str(tag["id"]): tag.text for tag in answer.select("[id^=tab-count-][hx-swap-oob]")}
    assert told == {f"tab-count-{name}": count for name, count in counts.items()}


def test_a_long_inbox_is_given_in_pages(client: Client, alice: User) -> None:
    for _ in range(23):
        parked_delete(alice)
    assert len(page(client, "/actions/").select("article.draft")) == 20
    assert len(page(client, "/actions/?page=2").select("article.draft")) == 3
    assert len(page(client, "/actions/?page=x").select("article.draft")) == 20
    assert len(page(client, "/actions/?page=99").select("article.draft")) == 3


# --- Decisions as forms ---


@pytest.fixture
def draft(alice: User, conversation: Conversation) -> ActionDraft:
    return parked_delete(alice, conversation_id=conversation.pk)


def decide(client: Client, draft: ActionDraft, act: str, *, htmx: bool = False, **body: Any) -> Any:
    """With the values of the card's own form."""
    form: dict[str, str] = {}
    if act == "confirm":
        form = form_of(page(client, "/actions/"), f"#confirm-{draft.pk}")
    headers = HTMX if htmx else {}
    return client.post(f"/actions/{draft.pk}/{act}/", {**form, **body}, headers=headers)


def test_the_card_of_what_was_deleted_leads_to_the_trash(
    client: Client, draft: ActionDraft
) -> None:
    card = soup(decide(client, draft, "confirm", htmx=True))
    assert one(card, ".draft-body > p > a")["href"] == "/documents/trash/"
    assert one(page(client, "/documents/"), ".empty a[href='/documents/trash/']")


@pytest.mark.parametrize("htmx", [True, False])
def test_confirming_does_it(
    client: Client, draft: ActionDraft, conversation: Conversation, htmx: bool
) -> None:
    response = decide(client, draft, "confirm", htmx=htmx)
    assert not Document.objects.exists()
    if htmx:
        assert response.status_code == 200
        assert one(soup(response), "article.draft")["data-state"] == "executed"
        assert not soup(response).select("html")
    else:
        assert response.headers["Location"] == f"/chat/{conversation.pk}/"


def test_a_card_of_no_conversation_leads_back_to_the_inbox(client: Client, alice: User) -> None:
    response = decide(client, parked_delete(alice), "confirm")
    assert response.headers["Location"] == "/actions/"


@pytest.mark.parametrize("htmx", [True, False])
@pytest.mark.parametrize(
    ("act", "body", "reason"),
    [
        ("dismiss", {}, "refused"),
        ("dismiss", {"reason": "I need it"}, "refused"),
        ("dismiss", {"reason": "a\x00b"}, "refused"),
        ("respond", {"message": "Rename it"}, "answered"),
    ],
)
def test_refusing_leaves_it(
    client: Client, draft: ActionDraft, htmx: bool, act: str, body: dict[str, Any], reason: str
) -> None:
    response = decide(client, draft, act, htmx=htmx, **body)
    assert response.status_code == (200 if htmx else 302)
    draft.refresh_from_db()
    assert (draft.state, draft.reason) == ("dismissed", reason)
    assert Document.objects.exists()


@pytest.mark.parametrize(("outcome", "state"), [("done", "executed"), ("retry", "draft")])
def test_an_unknown_outcome_is_resolved(
    client: Client, draft: ActionDraft, outcome: str, state: str
) -> None:
    ActionDraft.objects.update(state=DraftState.OUTCOME_UNKNOWN)
    card = one(page(client, "/actions/"), f"#draft-{draft.pk}")
    assert {b["value"] for b in card.select("button[name=outcome]")} == {"done", "retry"}
    body = {"expected_version": "1", "outcome": outcome}
    response = client.post(f"/actions/{draft.pk}/resolve/", body, headers=HTMX)
    assert response.status_code == 200
    draft.refresh_from_db()
    assert draft.state == state


@pytest.mark.parametrize(
    ("act", "body", "status"),
    [
        ("confirm", {"expected_version": "2"}, 409),
        ("confirm", {"expected_version": ""}, 422),
        ("confirm", {"expected_version": "x"}, 422),
        ("confirm", {"expected_version": "²"}, 422),
        ("confirm", {"idempotency_key": ""}, 422),
        ("confirm", {"idempotency_key": "a\x00b"}, 422),
        ("confirm", {"idempotency_key": "k" * 300}, 422),
        ("dismiss", {"reason": "x" * 2001}, 422),
        ("respond", {"message": " "}, 422),
        ("resolve", {"expected_version": "1", "outcome": "done"}, 409),
        ("resolve", {"expected_version": "1", "outcome": "maybe"}, 422),
        ("resolve", {"expected_version": "", "outcome": "done"}, 422),
    ],
)
@pytest.mark.both
def test_a_refused_decision_shows_the_card_and_why(
    client: Client, draft: ActionDraft, act: str, body: dict[str, Any], status: int
) -> None:
    response = decide(client, draft, act, htmx=True, **body)
    assert response.status_code == status
    card = one(soup(response), "article.draft")
    assert one(card, "[role=alert]").text.strip()
    plain = decide(client, draft, act, **body)
    assert plain.status_code == 302
    assert notices(client.get(plain.headers["Location"]))
    draft.refresh_from_db()
    assert (draft.state, draft.version) == ("draft", 1)


def test_what_moved_is_shown_anew_before_it_is_done(client: Client, draft: ActionDraft) -> None:
    before = form_of(page(client, "/actions/"), f"#confirm-{draft.pk}")
    Document.objects.update(content="Not what was shown", revision=2)
    response = client.post(f"/actions/{draft.pk}/confirm/", before, headers=HTMX)
    assert response.status_code == 409
    card = one(soup(response), "article.draft")
    assert "Not what was shown" in card.text
    again = form_of(card, f"#confirm-{draft.pk}")
    assert again["expected_version"] == "2"
    assert client.post(f"/actions/{draft.pk}/confirm/", again, headers=HTMX).status_code == 200
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("spoil", "status", "state"),
    [("expire", 410, "expired"), ("switch off", 403, "dismissed")],
)
def test_what_can_not_be_done_any_more_is_closed(
    client: Client, draft: ActionDraft, spoil: str, status: int, state: str
) -> None:
    form = form_of(page(client, "/actions/"), f"#confirm-{draft.pk}")
    if spoil == "expire":
        ActionDraft.objects.update(expires_at=Now() - timedelta(seconds=1))
    else:
        Tool.objects.filter(slug="document").update(enabled=False)
    response = client.post(f"/actions/{draft.pk}/confirm/", form, headers=HTMX)
    assert response.status_code == status
    assert one(soup(response), "article.draft")["data-state"] == state
    assert Document.objects.exists()


@pytest.fixture
def creation(alice: User) -> ActionDraft:
    Tool.objects.filter(slug="document").update(needs_approval=True)
    arguments = {"action": "create", "title": "Plan", "content": "One\nTwo", "tags": ["a", "b"]}
    return parked(alice, arguments)


def test_a_form_sent_as_it_came_edits_nothing(client: Client, creation: ActionDraft) -> None:
    form = form_of(page(client, "/actions/"), f"#confirm-{creation.pk}")
    form["argument-content"] = form["argument-content"].replace("\n", "\r\n")  # as browsers do
    assert client.post(f"/actions/{creation.pk}/confirm/", form, headers=HTMX).status_code == 200
    creation.refresh_from_db()
    assert creation.edited_arguments is None
    assert Document.objects.get().content == "One\nTwo"


def test_an_edit_in_the_form_is_what_is_done(client: Client, creation: ActionDraft) -> None:
    response = decide(
        client,
        creation,
        "confirm",
        htmx=True,
        **{"argument-content": "Three\r\nFour", "argument-tags": '["c"]', "argument-action": "x"},
    )
    assert response.status_code == 200
    document = Document.objects.get()
    assert (document.content, list(document.tags)) == ("Three\nFour", ["c"])


def test_an_edit_that_does_not_fit_says_so(client: Client, creation: ActionDraft) -> None:
    response = decide(client, creation, "confirm", htmx=True, **{"argument-content": ""})
    assert response.status_code == 422
    assert one(soup(response), "[role=alert]").text.strip()
    assert not Document.objects.exists()


def test_a_failed_card_is_edited_then_confirmed(client: Client, creation: ActionDraft) -> None:
    ActionDraft.objects.update(state=DraftState.FAILED, error_message="Full.")
    card = one(page(client, "/actions/?tab=decided"), f"#draft-{creation.pk}")
    assert "Full." in card.text
    form = {**form_of(card, f"#confirm-{creation.pk}"), "argument-content": "Less"}
    response = client.post(f"/actions/{creation.pk}/confirm/", form, headers=HTMX)
    assert response.status_code == 200
    card = one(soup(response), "article.draft")
    assert card["data-state"] == "draft"
    assert not Document.objects.exists()
    form = form_of(card, f"#confirm-{creation.pk}")
    client.post(f"/actions/{creation.pk}/confirm/", form, headers=HTMX)
    assert Document.objects.get().content == "Less"
