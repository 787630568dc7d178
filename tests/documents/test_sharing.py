"""Who else may read a document: made, ended and told by its owner alone."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.errors import InvalidInput, NotFound
from config.base.models import Membership, Project, User
from documents import services
from documents.enums import ShareKind
from documents.models import Document, DocumentShare
from documents.services import NotAPerson
from documents.services.sharing import MAX_SHARES
from documents.shares import find_link, get_readable_document, list_shared_documents, list_shares
from skills.models import AuditEvent, AuditSubject
from tests.documents.factories import (
    events_of,
    make_document,
    person,
    share_by_link,
    share_with,
)
from tests.factories import ProjectFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both]
DAY = timedelta(days=1)


@pytest.fixture
def document(alice: User) -> Document:
    return make_document(alice, "Minutes", "What we agreed")


def share_with_demo(user: User, document: Document, **values: Any) -> DocumentShare:
    return services.share_with_project(person(user), document.pk, "demo", **values).share


def readers(document: Document, *users: User) -> list[str]:
    now = timezone.now()
    return [
        user.username
        for user in users
        if document.pk in {one.pk for one in list_shared_documents(user, now)}
    ]


def test_a_person_reads_what_is_shared_with_them(
    document: Document, alice: User, bob: User, sam: User
) -> None:
    shared = share_with(alice, document, bob)
    assert (shared.is_new, shared.token, shared.share.kind) == (True, "", ShareKind.USER)
    assert readers(document, alice, bob, sam) == ["bob"]
    assert get_readable_document(bob, document.pk, timezone.now()).content == "What we agreed"
    with pytest.raises(NotFound):
        get_readable_document(sam, document.pk, timezone.now())
    assert events_of(document) == ["document.created", "document.shared"]


def test_the_event_names_the_reader_by_their_subject_and_no_content(
    document: Document, alice: User, bob: User
) -> None:
    share_with(alice, document, bob)
    event = AuditEvent.objects.get(action="document.shared")
    subject = AuditSubject.objects.get(user=bob).pk
    assert event.metadata["person"] == str(subject)
    told = str(event.metadata)
    assert str(bob.pk) not in told
    assert "Minutes" not in told


def test_a_member_reads_what_is_shared_with_the_project_while_they_are_one(
    document: Document, alice: User, bob: User, stranger: User, project: Project
) -> None:
    share_with_demo(alice, document)
    assert readers(document, bob, stranger) == ["bob"]
    Membership.objects.filter(user=bob).delete()
    Membership.objects.create(user=stranger, project=project, role="employee")
    assert readers(document, bob, stranger) == ["stranger"]


def test_one_shares_with_a_project_of_ones_own_only(document: Document, alice: User) -> None:
    ProjectFactory.create(slug="other")
    for slug in ("other", "none", ""):
        with pytest.raises(InvalidInput) as caught:
            services.share_with_project(person(alice), document.pk, slug)
        assert caught.value.code == "unknown_project"


@pytest.mark.parametrize(
    ("name", "code"), [("nobody", "unknown_person"), ("alice", "own_document")]
)
def test_one_shares_with_somebody_else_who_is_there(
    document: Document, alice: User, name: str, code: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        services.share_with_user(person(alice), document.pk, name)
    assert caught.value.code == code


def test_revoking_ends_it_at_once_and_twice_is_once(
    document: Document, alice: User, bob: User
) -> None:
    share = share_with(alice, document, bob).share
    for _ in range(2):
        services.revoke_share(person(alice), document.pk, share.pk)
    assert readers(document, bob) == []
    assert events_of(document)[2:] == ["document.unshared"]
    assert share_with(alice, document, bob).is_new
    assert readers(document, bob) == ["bob"]


def test_it_ends_by_itself(document: Document, alice: User, bob: User) -> None:
    now = timezone.now()
    share_with(alice, document, bob, expires_at=now + DAY)
    assert list_shared_documents(bob, now + DAY - timedelta(seconds=1)).exists()
    assert not list_shared_documents(bob, now + DAY).exists()
    assert not list_shares(alice, document.pk, now + DAY).exists()


def test_sharing_again_is_the_same_share_with_the_new_end(
    document: Document, alice: User, bob: User
) -> None:
    first = share_with(alice, document, bob)
    again = share_with(alice, document, bob)
    end = timezone.now() + DAY
    changed = share_with(alice, document, bob, expires_at=end)
    assert [first.is_new, again.is_new, changed.is_new] == [True, False, False]
    assert DocumentShare.objects.get().expires_at == end
    assert events_of(document)[1:] == ["document.shared"] * 2


def test_a_link_is_kept_as_a_digest_and_ends(document: Document, alice: User) -> None:
    now = timezone.now()
    made = share_by_link(alice, document)
    assert len(made.token) >= 43
    assert made.token not in str(list(DocumentShare.objects.values()))
    assert made.share.expires_at is not None
    assert abs(made.share.expires_at - now - 7 * DAY) < timedelta(minutes=1)
    found = find_link(made.token, now)
    assert found is not None
    assert found.document == document
    assert find_link(made.token, made.share.expires_at) is None
    assert find_link(made.token[:-1], now) is None
    assert share_by_link(alice, document).token != made.token


@pytest.mark.parametrize(
    ("days", "code"), [(91, "too_long"), (0, "in_the_past"), (-1, "in_the_past")]
)
def test_a_link_ends_within_90_days(document: Document, alice: User, days: int, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        share_by_link(alice, document, expires_at=timezone.now() + days * DAY)
    assert caught.value.code == code


def test_nobody_but_the_owner_shares_or_revokes(
    document: Document, alice: User, bob: User, operator: User
) -> None:
    share = share_with(alice, document, bob).share
    for other in (bob, operator):
        for act in (
            lambda who=other: services.make_link(person(who), document.pk),
            lambda who=other: services.share_with_user(person(who), document.pk, "sam"),
            lambda who=other: share_with_demo(who, document),
            lambda who=other: services.revoke_share(person(who), document.pk, share.pk),
        ):
            with pytest.raises(NotFound):
                act()
    assert readers(document, bob) == ["bob"]


@pytest.mark.parametrize("origin", [one for one in Origin if one not in ("page", "api")])
def test_no_tool_job_or_skill_shares(
    document: Document, alice: User, bob: User, origin: Origin
) -> None:
    share = share_with(alice, document, bob).share
    actor = Actor(user=alice, origin=origin)
    for act in (
        lambda: services.make_link(actor, document.pk),
        lambda: services.share_with_user(actor, document.pk, bob.username),
        lambda: services.share_with_project(actor, document.pk, "demo"),
        lambda: services.revoke_share(actor, document.pk, share.pk),
    ):
        with pytest.raises(NotAPerson):
            act()


def test_no_agent_shares_wherever_it_says_it_comes_from(document: Document, alice: User) -> None:
    for actor in (
        Actor(user=alice, origin=Origin.PAGE, agent_id=uuid.uuid4()),
        Actor(user=alice, origin=Origin.API, run_id=uuid.uuid4()),
    ):
        with pytest.raises(NotAPerson):
            services.make_link(actor, document.pk)


def test_what_is_deleted_is_shared_no_longer_not_even_when_it_comes_back(
    document: Document, alice: User, bob: User
) -> None:
    share_with(alice, document, bob)
    token = share_by_link(alice, document).token
    services.delete_document(person(alice), document.pk)
    assert readers(document, bob) == []
    services.restore_document(person(alice), document.pk)
    assert readers(document, bob) == []
    assert find_link(token, timezone.now()) is None


def test_who_is_shut_out_shares_nothing(document: Document, alice: User, bob: User) -> None:
    share_with(alice, document, bob)
    token = share_by_link(alice, document).token
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert readers(document, bob) == []
    assert find_link(token, timezone.now()) is None


def test_readers_see_it_as_it_is_now(document: Document, alice: User, bob: User) -> None:
    share_with(alice, document, bob)
    services.update_document(person(alice), document.pk, content="Otherwise")
    assert get_readable_document(bob, document.pk, timezone.now()).content == "Otherwise"
    for change in (
        lambda: services.update_document(person(bob), document.pk, content="Mine"),
        lambda: services.delete_document(person(bob), document.pk),
        lambda: services.restore_version(person(bob), document.pk, 1),
    ):
        with pytest.raises(NotFound):
            change()


def test_shares_of_a_document_are_bounded(document: Document, alice: User, bob: User) -> None:
    links = [
        DocumentShare(
            document=document,
            owner=alice,
            kind=ShareKind.LINK,
            token_hash=str(number),
            expires_at=timezone.now() + DAY,
        )
        for number in range(MAX_SHARES)
    ]
    DocumentShare.objects.bulk_create(links)
    with pytest.raises(InvalidInput) as caught:
        share_by_link(alice, document)
    assert caught.value.code == "too_many_shares"
    with pytest.raises(InvalidInput):
        share_with(alice, document, bob)
    services.revoke_share(person(alice), document.pk, links[0].pk)
    assert share_with(alice, document, bob).is_new


def test_what_ended_a_month_ago_is_forgotten(
    document: Document, alice: User, bob: User, sam: User
) -> None:
    present = share_with(alice, document, bob).share
    recent, old = (share_by_link(alice, document).share for _ in range(2))
    revoked = share_with(alice, document, sam).share
    now = timezone.now()
    DocumentShare.objects.filter(pk=recent.pk).update(expires_at=now - 29 * DAY)
    DocumentShare.objects.filter(pk=old.pk).update(expires_at=now - 31 * DAY)
    DocumentShare.objects.filter(pk=revoked.pk).update(revoked_at=now - 31 * DAY)
    assert [services.purge_old_shares() for _ in range(2)] == [2, 0]
    assert set(DocumentShare.objects.all()) == {present, recent}
