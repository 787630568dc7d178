"""/api/jobs/kinds/: what there is, and letting a kind rest."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission

from config.base.models import Scope, User
from jobs.models import PausedKind
from skills.models import AuditEvent
from tests.jobs.api import JOBS, OPERATORS_KIND, OWN_KIND, kinds
from tests.jobs.handlers import KIND
from tests.tools.api import Api, error_of

pytestmark = pytest.mark.django_db

KINDS = f"{JOBS}kinds/"
PAUSE, RESUME = f"{KINDS}{KIND}/pause/", f"{KINDS}{KIND}/resume/"


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds() as script:
        yield script


def rows(user: User) -> dict[str, Any]:
    status, body = Api(user)("GET", f"{KINDS}?page_size=100")
    assert status == 200
    return {row["kind"]: row for row in body["results"]}


def events() -> list[tuple[str, str]]:
    found = AuditEvent.objects.filter(target_type="job_kind").order_by("pk")
    return list(found.values_list("action", "target_id"))


def test_kinds_are_listed_with_the_schemas_of_their_payloads(alice: User, operator: User) -> None:
    hers, theirs = rows(alice), rows(operator)
    assert list(hers) == sorted(hers)
    assert hers[KIND]["payload_schema"]["properties"]["text"]["type"] == "string"
    assert hers[KIND]["payload_schema"]["additionalProperties"] is False
    assert hers["housekeeping.rate_counts"]["description"].startswith("Throws away the counts")
    may = [hers[kind]["may_create"] for kind in (KIND, OPERATORS_KIND, OWN_KIND)]
    assert may == [True, False, False]
    may = [theirs[kind]["may_create"] for kind in (KIND, OPERATORS_KIND, OWN_KIND)]
    assert may == [True, True, False]
    by = [hers[kind]["create_by"] for kind in (KIND, OPERATORS_KIND, OWN_KIND)]
    assert by == ["owners", "operators", "nobody"]


def test_an_operator_lets_a_kind_rest_and_go_on(operator: User, alice: User) -> None:
    status, row = Api(operator)("POST", PAUSE)
    assert (status, row["paused_by"]) == (200, "operator")
    assert row["paused_at"] is not None
    assert Api(operator)("POST", PAUSE) == (200, row)
    assert PausedKind.objects.get().paused_by == operator
    assert rows(alice)[KIND]["paused_at"] == row["paused_at"]
    assert rows(alice)[KIND]["paused_by"] is None  # not everybody's affair
    for _ in range(2):
        status, row = Api(operator)("POST", RESUME)
        assert (status, row["paused_at"], row["paused_by"]) == (200, None, None)
    assert not PausedKind.objects.exists()
    assert events() == [("job_kind.paused", KIND), ("job_kind.resumed", KIND)]


@pytest.mark.parametrize("path", [PAUSE, RESUME])
def test_nobody_else_does(alice: User, path: str) -> None:
    looking = User.objects.create(username="auditor", is_staff=True)
    looking.user_permissions.add(Permission.objects.get(codename="view_job"))
    assert error_of(Api()("POST", path))[:2] == (401, "not_authenticated")
    for user in (alice, looking):
        assert error_of(Api(user)("POST", path))[:2] == (403, "permission_denied")
    assert events() == []


def test_a_token_needs_the_scope(operator: User) -> None:
    others = sorted(set(Scope.values) - {Scope.JOBS})
    for method, path in (("GET", KINDS), ("POST", PAUSE), ("POST", RESUME)):
        assert error_of(Api(operator, others)(method, path))[:2] == (403, "scope_missing")


@pytest.mark.parametrize("act", ["pause", "resume"])
@pytest.mark.parametrize("kind", ["test.none", "%00", "a b"])
def test_a_kind_that_is_not_there_is_not_found(operator: User, kind: str, act: str) -> None:
    answer = Api(operator)("POST", f"{KINDS}{kind}/{act}/")
    assert error_of(answer)[:2] == (404, "not_found")


def test_a_kind_that_is_gone_is_listed_while_it_rests_and_can_go_on(operator: User) -> None:
    PausedKind.objects.create(kind="test.gone", paused_by=operator)
    row = rows(operator)["test.gone"]
    assert (row["version"], row["may_create"], row["payload_schema"]) == (None, False, None)
    assert (row["create_by"], row["paused_by"]) == ("nobody", "operator")
    status, row = Api(operator)("POST", f"{KINDS}test.gone/resume/")
    assert (status, row["kind"], row["paused_at"]) == (200, "test.gone", None)
    assert events() == [("job_kind.resumed", "test.gone")]
    assert Api(operator)("POST", f"{KINDS}test.gone/resume/")[0] == 404
    assert "test.gone" not in rows(operator)


@pytest.mark.parametrize(("method", "path"), [("POST", KINDS), ("GET", PAUSE), ("DELETE", RESUME)])
def test_other_methods_are_refused(operator: User, method: str, path: str) -> None:
    assert Api(operator)(method, path)[0] == 405
