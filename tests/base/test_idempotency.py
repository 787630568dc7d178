"""`Idempotency-Key`: the same key and body gives the first answer, and the effect happens once."""

import json
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError
from typing import Any, ClassVar
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate
from rest_framework.views import APIView

from config.base.errors import Conflict, GatehouseError, InvalidInput, PreconditionFailed
from config.base.idempotency import purge_old_answers
from config.base.models import IdempotencyRecord, Project, User
from config.base.rest.idempotency import idempotent
from tests.threads import both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]


class Projects(APIView):
    """Makes a project; its slug is taken only once."""

    permission_classes = ()
    meeting: ClassVar[Barrier | None] = None  # where twins wait for each other
    collision: ClassVar[type[GatehouseError]] = Conflict  # what the second one meets

    @idempotent
    def post(self, request: Request) -> Response:
        body: Any = request.data
        slug = body["slug"]
        if self.meeting:
            with suppress(BrokenBarrierError):  # SQLite lets only one in
                self.meeting.wait(0.5)
        try:
            with transaction.atomic():
                project = Project.objects.create(slug=slug, name=body.get("name", ""))
        except IntegrityError as error:
            raise self.collision(code="slug_taken") from error
        if slug == "broken":
            raise InvalidInput
        return Response({"id": project.pk, "at": project.created_at}, status=201)


def post(user: User, key: str, path: str = "/things/", **body: Any) -> Response:
    headers = {"HTTP_IDEMPOTENCY_KEY": key} if key else {}
    request = APIRequestFactory().post(path, body, format="json", **headers)
    force_authenticate(request, user)
    response: Response = Projects.as_view()(request)
    response.render()
    return response


def body_of(response: Response) -> Any:
    return json.loads(response.rendered_content)


def code_of(response: Response) -> str:
    [error] = body_of(response)["errors"]
    return str(error["code"])


def count() -> int:
    return Project.objects.exclude(slug="demo").count()


def test_without_a_key_each_request_stands_alone(alice: User) -> None:
    assert post(alice, "", slug="a").status_code == 201
    assert post(alice, "", slug="a").status_code == 409
    assert not IdempotencyRecord.objects.exists()


def test_a_repeat_gets_the_first_answer(alice: User) -> None:
    first = post(alice, "k", slug="a")
    again = post(alice, "k", slug="a")
    assert (again.status_code, body_of(again)) == (201, body_of(first))
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert count() == 1


def test_the_order_of_the_bodys_keys_does_not_matter(alice: User) -> None:
    post(alice, "k", slug="a", name="A")
    assert post(alice, "k", name="A", slug="a").status_code == 201
    assert count() == 1


@pytest.mark.parametrize(
    ("path", "body"), [("/things/", {"slug": "b"}), ("/other/", {"slug": "a"})]
)
def test_another_request_with_the_key_is_refused(
    alice: User, path: str, body: dict[str, str]
) -> None:
    post(alice, "k", slug="a")
    refused = post(alice, "k", path, **body)
    assert (refused.status_code, code_of(refused)) == (422, "idempotency_key_reused")
    assert count() == 1


def test_keys_of_different_people_have_nothing_to_do_with_each_other(
    alice: User, bob: User
) -> None:
    first = post(alice, "k", slug="a")
    second = post(bob, "k", slug="b")
    assert second.data["id"] != first.data["id"]
    assert count() == 2


def test_a_failing_handler_leaves_nothing_behind(alice: User) -> None:
    assert post(alice, "k", slug="broken").status_code == 400
    assert count() == 0
    assert not IdempotencyRecord.objects.exists()
    assert post(alice, "k", slug="a").status_code == 201  # the key is still free


@pytest.mark.parametrize("key", ["k" * 201, "a\tb", "a\x7fb"])
def test_a_key_that_can_not_be_kept_is_refused(alice: User, key: str) -> None:
    refused = post(alice, key, slug="a")
    assert (refused.status_code, code_of(refused)) == (400, "invalid_idempotency_key")
    assert count() == 0


def test_a_key_of_full_length_is_kept(alice: User) -> None:
    assert post(alice, "k" * 200, slug="a").status_code == 201
    assert post(alice, "k" * 200, slug="a").headers["Idempotency-Replayed"] == "true"


def age(hours: float) -> None:
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=hours))


def test_after_24_hours_the_key_is_free_again(alice: User) -> None:
    post(alice, "k", slug="a")
    age(23.9)
    assert post(alice, "k", slug="a").headers["Idempotency-Replayed"] == "true"
    age(24.1)
    assert post(alice, "k", slug="b").status_code == 201
    assert count() == 2


def test_old_answers_are_purged(alice: User) -> None:
    post(alice, "old", slug="a")
    age(24.1)
    post(alice, "new", slug="b")
    assert purge_old_answers() == 1
    assert IdempotencyRecord.objects.get().key == "new"


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have seen that there is no answer yet before either writes anything."""
    monkeypatch.setattr(Projects, "meeting", Barrier(2))


@pytest.mark.usefixtures("meeting")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("collision", [Conflict, PreconditionFailed])
def test_twins_at_once_have_one_effect_and_one_answer(
    alice: User, monkeypatch: pytest.MonkeyPatch, collision: type[GatehouseError]
) -> None:
    """The effect of one collides with that of the other, and still neither is told so."""
    monkeypatch.setattr(Projects, "collision", collision)
    answers = both_at_once(lambda: post(alice, "k", slug="a"), lambda: post(alice, "k", slug="a"))
    assert [answer.status_code for answer in answers] == [201, 201]
    assert len({UUID(str(answer.data["id"])) for answer in answers}) == 1
    assert count() == 1
    assert IdempotencyRecord.objects.count() == 1


@pytest.mark.usefixtures("meeting")
@pytest.mark.django_db(transaction=True)
def test_twins_with_different_bodies_have_one_effect_too(alice: User) -> None:
    answers = both_at_once(lambda: post(alice, "k", slug="a"), lambda: post(alice, "k", slug="b"))
    assert sorted(answer.status_code for answer in answers) == [201, 422]
    assert count() == 1
