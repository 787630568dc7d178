"""What was read in files leaves the index with them, whatever takes them along."""

from collections.abc import Callable

import pytest

from config.base.models import User
from documents.knowledge import indexing
from documents.knowledge.forgetting import FORGET_KIND
from documents.knowledge.services import delete_resource, delete_space
from documents.models import KnowledgeSpace, SearchEntry, SearchScope
from jobs.models import Job
from jobs.testing import run_due_jobs
from tests.documents.knowledge.factories import join, make_resource, person, upload
from tests.threads import both_at_once

pytestmark = pytest.mark.both

type Going = Callable[[User, KnowledgeSpace], object]


def asked_to_forget() -> int:
    return Job.objects.filter(kind=FORGET_KIND).count()


def delete_it(user: User, space: KnowledgeSpace) -> None:
    delete_space(person(user), space.pk)


def delete_account(user: User, space: KnowledgeSpace) -> None:
    user.delete()


@pytest.mark.django_db
@pytest.mark.parametrize("go", [delete_it, delete_account])
def test_a_small_space_is_forgotten_at_once(go: Going, alice: User, space: KnowledgeSpace) -> None:
    make_resource(alice, space, "The pump is checked every 90 days.")
    for n in range(2):
        upload(alice, space, f"Nobody has read {n}.".encode())
    go(alice, space)
    assert asked_to_forget() == 0
    assert not SearchScope.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("go", [delete_it, delete_account])
def test_a_large_one_is_forgotten_by_one_job(
    go: Going, alice: User, space: KnowledgeSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "LARGE", 1)
    for n in range(3):
        make_resource(alice, space, f"Rule {n} of the pump.")
    go(alice, space)
    assert asked_to_forget() == 1
    assert SearchEntry.objects.count() == 3
    run_due_jobs()
    assert not SearchScope.objects.exists()


@pytest.mark.django_db
def test_a_deleted_file_leaves_the_others(alice: User, space: KnowledgeSpace) -> None:
    kept, gone = (make_resource(alice, space, f"Rule {n} of the pump.") for n in range(2))
    delete_resource(person(alice), gone.pk)
    assert list(SearchEntry.objects.values_list("item_id", flat=True)) == [kept.pk]


@pytest.mark.django_db(transaction=True)
def test_two_last_members_who_go_at_once_leave_no_space_behind(
    alice: User, bob: User, space: KnowledgeSpace
) -> None:
    join(space, bob)
    both_at_once(alice.delete, bob.delete)
    assert not KnowledgeSpace.objects.exists()
