"""`/api/knowledge/`: spaces, members, files, what is found; for each who may and who may not."""

from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from config.base.models import User
from documents.enums import SpaceRole
from documents.models import KnowledgeSpace, Resource
from jobs.testing import run_due_jobs
from tests.clients import codes_of, with_token
from tests.documents.conftest import ApiFor
from tests.documents.knowledge import pdfs
from tests.documents.knowledge.factories import events_of, join, make_resource, make_space

pytestmark = pytest.mark.django_db
SPACES = "/api/knowledge/spaces/"
RESOURCES = "/api/knowledge/resources/"
SEARCH = "/api/knowledge/search/"


@pytest.fixture
def api(api_for: ApiFor, alice: User) -> APIClient:
    return api_for(alice)


def send(client: APIClient, space: KnowledgeSpace, data: bytes = b"Words.", **values: Any) -> Any:
    name = values.pop("name", "notes.txt")
    headers = values.pop("headers", None)
    body = {"space": str(space.pk), "file": SimpleUploadedFile(name, data), **values}
    return client.post(RESOURCES, body, format="multipart", headers=headers)


def test_a_file_is_uploaded_read_found_and_downloaded(
    api: APIClient, space: KnowledgeSpace
) -> None:
    data = pdfs.text_pdf(["Cover", "Check the pump every 90 days."])
    sent = send(api, space, data, name="Pump (2026).pdf")
    assert sent.status_code == 201
    assert sent.json()["state"] == "uploaded"
    assert "stored_name" not in sent.json()
    run_due_jobs()
    address = f"{RESOURCES}{sent.json()['id']}/"
    told = api.get(address).json()
    assert (told["state"], told["pages"], told["failure"]) == ("ready", 2, None)
    passages = api.get(f"{address}passages/").json()["results"]
    assert [passage["page"] for passage in passages] == [1, 2]
    found = api.get(SEARCH, {"q": "How often is the pump checked?"}).json()
    assert found["status"] == "COMPLETED"
    assert found["results"][0]["page"] == 2
    assert found["results"][0]["is_evidence"]
    download: Any = api.get(f"{address}download/")
    assert b"".join(download.streaming_content) == data
    assert download["Content-Disposition"] == 'attachment; filename="Pump (2026).pdf"'
    assert download["X-Content-Type-Options"] == "nosniff"
    assert download["Cache-Control"] == "private, no-store"
    assert download["Content-Type"] == "application/octet-stream"
    events = events_of("resource", told["id"])
    assert events == ["resource.uploaded", "resource.read", "resource.downloaded"]


def test_what_answers_nothing_says_so(api: APIClient, alice: User, space: KnowledgeSpace) -> None:
    make_resource(alice, space, "Bread is baked at night.")
    found = api.get(SEARCH, {"q": "quantum chromodynamics"}).json()
    assert found["status"] == "NO_EVIDENCE"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({}, "required"),
        ({"q": " "}, "required"),
        ({"q": "x" * 2_001}, "max_length"),
        ({"q": "x", "limit": "0"}, "invalid"),
        ({"q": "x", "limit": "many"}, "invalid"),
        ({"q": "x", "spaces": "y"}, "unknown_parameter"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(
    query: dict[str, str], code: str, api: APIClient
) -> None:
    response = api.get(SEARCH, query)
    assert (response.status_code, codes_of(response)) == (400, [code])


def test_the_same_key_uploads_once(api: APIClient, space: KnowledgeSpace) -> None:
    key = {"Idempotency-Key": "k"}
    first, again = (send(api, space, headers=key) for _ in range(2))
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert codes_of(send(api, space, b"Others.", headers=key)) == ["idempotency_key_reused"]
    assert Resource.objects.count() == 1


def test_the_same_file_is_in_a_space_once(
    api: APIClient, alice: User, space: KnowledgeSpace
) -> None:
    first = send(api, space)
    again = send(api, space)
    assert (again.status_code, codes_of(again)) == (409, ["already_there"])
    assert again.json()["resource_id"] == first.json()["id"]
    assert send(api, make_space(alice)).status_code == 201


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"data": b""}, "empty"),
        ({"data": bytes(300)}, "unsupported_type"),
        ({"data": b"text", "name": "text.pdf"}, "mismatched_type"),
        ({"colour": "red"}, "unknown_field"),
    ],
)
def test_what_is_not_taken_is_refused_with_its_code(
    values: dict[str, Any], code: str, api: APIClient, space: KnowledgeSpace
) -> None:
    response = send(api, space, **values)
    assert (response.status_code, codes_of(response)) == (400, [code])
    assert not Resource.objects.exists()


def test_a_body_without_a_file_or_in_json_is_refused(api: APIClient, space: KnowledgeSpace) -> None:
    body = {"space": str(space.pk)}
    assert codes_of(api.post(RESOURCES, body, format="multipart")) == ["required"]
    assert api.post(RESOURCES, body, format="json").status_code == 415


@pytest.mark.parametrize(
    ("role", "may_upload", "may_manage"),
    [
        (SpaceRole.READER, False, False),
        (SpaceRole.EDITOR, True, False),
        (SpaceRole.MANAGER, True, True),
    ],
)
def test_each_role_may_what_it_may(
    role: SpaceRole,
    may_upload: bool,
    may_manage: bool,
    api_for: ApiFor,
    alice: User,
    bob: User,
    space: KnowledgeSpace,
) -> None:
    resource = make_resource(alice, space, "Words.")
    join(space, bob, role)
    api = api_for(bob)
    assert api.get(f"{SPACES}{space.pk}/").json()["role"] == role
    assert api.get(f"{RESOURCES}{resource.pk}/").status_code == 200
    assert send(api, space, b"More.").status_code == (201 if may_upload else 403)
    run_due_jobs()
    again = api.post(f"{RESOURCES}{resource.pk}/reread/")
    assert again.status_code == (200 if may_upload else 403)
    members = f"{SPACES}{space.pk}/members/"
    added = api.post(members, {"username": "alice", "role": "manager"})
    assert added.status_code == (200 if may_manage else 403)
    renamed = api.patch(f"{SPACES}{space.pk}/", {"name": "Other"})
    assert renamed.status_code == (200 if may_manage else 403)
    assert api.delete(f"{RESOURCES}{resource.pk}/").status_code == (204 if may_upload else 403)
    assert api.delete(f"{SPACES}{space.pk}/").status_code == (204 if may_manage else 403)


def test_a_projects_space_is_read_by_who_works_there(
    api_for: ApiFor, sam: User, bob: User, cara: User, stranger: User, operator: User
) -> None:
    made = api_for(sam).post(SPACES, {"name": "Rules", "project": "demo"})
    address = f"{SPACES}{made.json()['id']}/"
    assert api_for(bob).get(address).json()["role"] == "reader"
    for other in (cara, stranger, operator):
        assert api_for(other).get(address).status_code == 404
    api_for(sam).patch(address, {"is_for_newcomers": True})
    assert api_for(cara).get(address).json()["role"] == "reader"
    assert api_for(stranger).get(address).status_code == 404


def test_only_who_supervises_a_project_makes_a_space_of_it(api: APIClient) -> None:
    response = api.post(SPACES, {"name": "Rules", "project": "demo"})
    assert (response.status_code, codes_of(response)) == (404, ["not_found"])
    alone = api.post(SPACES, {"name": "Rules", "is_for_newcomers": True})
    assert codes_of(alone) == ["invalid"]


def test_only_people_one_works_with_can_be_let_in(
    api: APIClient, space: KnowledgeSpace, stranger: User
) -> None:
    members = f"{SPACES}{space.pk}/members/"
    answers = [
        api.post(members, {"username": name, "role": "reader"})
        for name in ("stranger", "not-a-user")
    ]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()


def test_the_last_manager_stays(api: APIClient, space: KnowledgeSpace) -> None:
    member = space.members.get()
    gone = api.delete(f"{SPACES}{space.pk}/members/{member.pk}/")
    assert (gone.status_code, codes_of(gone)) == (409, ["last_manager"])
    lower = api.post(f"{SPACES}{space.pk}/members/", {"username": "alice", "role": "reader"})
    assert codes_of(lower) == ["last_manager"]


def test_what_is_read_anew_is_not_found_meanwhile(
    api: APIClient, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, "The pump is checked.")
    address = f"{RESOURCES}{resource.pk}/"
    assert api.post(f"{address}reread/").json()["state"] == "uploaded"
    assert codes_of(api.post(f"{address}reread/")) == ["still_reading"]
    assert api.get(SEARCH, {"q": "pump"}).json()["results"] == []
    assert api.get(f"{address}passages/").json()["count"] == 0
    run_due_jobs()
    assert len(api.get(SEARCH, {"q": "pump"}).json()["results"]) == 1


def test_a_token_needs_the_scope(alice: User, space: KnowledgeSpace) -> None:
    assert with_token(alice, ["knowledge"]).get(SPACES).status_code == 200
    refused = with_token(alice, ["agent"]).get(SPACES)
    assert codes_of(refused) == ["scope_missing"]


def test_what_is_not_there_and_what_is_not_ones_own_answer_alike(
    api_for: ApiFor, bob: User, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, "Words.")
    api = api_for(bob)
    for known, path in ((space.pk, SPACES), (resource.pk, RESOURCES)):
        theirs, none = (api.get(f"{path}{key}/") for key in (known, uuid4()))
        assert theirs.status_code == none.status_code == 404
        assert theirs.json() == none.json()
    assert codes_of(api.get(SEARCH, {"q": "x", "space": str(space.pk)})) == ["not_found"]
    assert codes_of(send(api, space)) == ["not_found"]


def test_a_file_that_is_gone_from_the_store_says_so(
    api: APIClient, alice: User, space: KnowledgeSpace, knowledge_dir: Any
) -> None:
    resource = make_resource(alice, space, "Words.")
    (knowledge_dir / resource.stored_name).unlink()
    response = api.get(f"{RESOURCES}{resource.pk}/download/")
    assert (response.status_code, codes_of(response)) == (410, ["gone"])


def test_lists_cost_the_same_for_many(
    api: APIClient, alice: User, space: KnowledgeSpace, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        make_space(alice, f"Space {number}")
    with django_assert_max_num_queries(10):
        assert api.get(SPACES).json()["count"] == 5


@pytest.mark.both
def test_a_list_is_narrowed_by_any_words_that_are_not_too_many(
    api: APIClient, alice: User, space: KnowledgeSpace
) -> None:
    make_resource(alice, space, "Text", "Pump_100%.txt")
    for words, count in (("pump_100%", 1), ("pump\0", 1), ("%" * 2_000, 0), ("_ " * 1_000, 1)):
        found = api.get(RESOURCES, {"q": words})
        assert (found.status_code, len(found.json()["results"])) == (200, count)
    for words in ("_" * 26_000, "水泵" * 10_000):  # SQLite fails on them
        assert codes_of(api.get(RESOURCES, {"q": words})) == ["too_long"]
