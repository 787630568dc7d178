"""`/s/<token>/`: whoever has the link reads one document, and learns nothing else."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.base.models import User
from documents import services
from documents.models import Document, DocumentShare
from tests.documents.factories import make_document, person, share_by_link

pytestmark = pytest.mark.django_db
UNKNOWN = "Zm9yIGFueSBsaW5rIHRoYXQgbmV2ZXIgd2FzIG1hZGUu"


@pytest.fixture
def document(alice: User) -> Document:
    return make_document(alice, "Minutes", "# Agreed\n\n**everything** <script>x</script>")


def test_anybody_reads_it_without_signing_in(
    document: Document, alice: User, client: Client
) -> None:
    token = share_by_link(alice, document).token
    answer = client.get(f"/s/{token}/")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "<strong>everything</strong>" in text
    assert "Shared by alice" in text
    assert "<script" not in text
    assert token not in text
    assert str(document.pk) not in text
    assert client.head(f"/s/{token}/").status_code == 200
    assert client.post(f"/s/{token}/").status_code == 405


@pytest.mark.parametrize("is_known", [True, False])
def test_the_address_leaks_nowhere(
    document: Document, alice: User, client: Client, is_known: bool
) -> None:
    token = share_by_link(alice, document).token
    headers = client.get(f"/s/{token if is_known else UNKNOWN}/").headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "noindex" in headers["X-Robots-Tag"]
    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"].split("; ")
    assert {"sandbox", "default-src 'none'", "frame-ancestors 'none'"} <= set(policy)
    assert "script-src" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not headers.get("Set-Cookie")


def test_unknown_revoked_over_and_deleted_are_the_same_answer(
    document: Document, alice: User, client: Client
) -> None:
    tokens = {name: share_by_link(alice, document) for name in ("revoked", "over")}
    services.revoke_share(person(alice), document.pk, tokens["revoked"].share.pk)
    over = DocumentShare.objects.filter(pk=tokens["over"].share.pk)
    over.update(expires_at=timezone.now())
    gone = make_document(alice, "Gone")
    tokens["deleted"] = share_by_link(alice, gone)
    services.delete_document(person(alice), gone.pk)
    asked = [UNKNOWN, "x", "%00", "%F0%9F", "\N{SNOWMAN}", *(one.token for one in tokens.values())]
    answers = [client.get(f"/s/{token}/") for token in asked]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert len({str(sorted(answer.headers.items())) for answer in answers}) == 1


def test_a_link_opens_only_what_it_was_made_for(
    document: Document, alice: User, client: Client
) -> None:
    make_document(alice, "Another")
    token = share_by_link(alice, document).token
    assert "Another" not in client.get(f"/s/{token}/").content.decode()
    assert client.get(f"/documents/{document.pk}/").status_code == 302
    assert client.get(f"/s/{document.pk}/").status_code == 404


def test_its_owner_sees_when_it_was_opened_last(
    document: Document,
    alice: User,
    client: Client,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    made = share_by_link(alice, document)
    with django_assert_num_queries(2):  # the share with its document and owner; that it was used
        client.get(f"/s/{made.token}/")
    made.share.refresh_from_db()
    first = made.share.last_used_at
    assert first is not None
    with django_assert_num_queries(1):  # a minute has not passed
        client.get(f"/s/{made.token}/")
    DocumentShare.objects.update(last_used_at=first - timedelta(minutes=2))
    client.get(f"/s/{made.token}/")
    made.share.refresh_from_db()
    assert made.share.last_used_at is not None
    assert made.share.last_used_at >= first


def test_whoever_tries_links_is_slowed_down(
    document: Document, alice: User, client: Client, settings: Any
) -> None:
    settings.LINK_READS_PER_MINUTE = 2
    token = share_by_link(alice, document).token
    answers = [client.get(f"/s/{one}/") for one in (UNKNOWN, token, token, UNKNOWN)]
    assert [answer.status_code for answer in answers] == [404, 200, 429, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert answers[2]["Cache-Control"] == "no-store"
    assert client.get(f"/s/{token}/", REMOTE_ADDR="192.0.2.7").status_code == 200
