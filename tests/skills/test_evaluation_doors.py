"""Evaluations where they are asked for: the command, REST and the console."""

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.base.models import Scope, User
from skills import registry
from skills.cases import MessageCase
from skills.evaluations.services import evaluate_skills
from skills.models import SkillEvaluation
from tests.skills.factories import CASES, GREEDY, make_evaluation, skill
from tests.tools.api import Api, error_of
from tools.testing import fake_types

SHIPPED = registry.list_skills()
EVALUATIONS = "/api/skills/evaluations/"
LIST = "admin:skills_skillevaluation_changelist"

both = [pytest.mark.django_db, pytest.mark.both]

# --- The command ---


def command(*arguments: str, exit_code: int = 0) -> str:
    out = StringIO()
    if not exit_code:
        call_command("evaluate_skills", *arguments, stdout=out)
        return out.getvalue()
    with pytest.raises(SystemExit) as left:
        call_command("evaluate_skills", *arguments, stdout=out)
    assert left.value.code == exit_code
    return out.getvalue()


@pytest.mark.django_db
class TestCommand:
    def test_it_prints_a_table_and_keeps_the_results(self) -> None:
        lines = command().splitlines()
        assert lines[0].split() == ["skill", "cases", "passed", "failed"]
        names = [line.split()[0] for line in lines[1:]]
        assert names == [str(one.manifest) for one in SHIPPED]
        assert SkillEvaluation.objects.count() == len(SHIPPED)

    def test_it_fails_on_a_case_that_does_and_names_what_became_worse(self) -> None:
        failing = (*CASES, MessageCase(name="new", text="/echo", selects="other"))
        with fake_types(), registry.only(skill(matchers=GREEDY, attributes={"cases": failing})):
            make_evaluation(passed=["something else"])
            said = command(exit_code=1)
        problem = "expected none: no_match, got echo"
        assert f"REGRESSION echo: something else: {problem}" in said
        assert "FAILED echo: new: expected other, got echo" in said

    def test_it_speaks_json(self) -> None:
        [told] = json.loads(command("--json", "--skill", "weekly-review"))
        assert (told["skill_id"], told["version"], told["failed"]) == ("weekly-review", "1.0.0", [])
        assert told["cases"] == told["passed"] > 0

    def test_of_one_skill_it_tells_nothing_else(self) -> None:
        assert len(command("--skill", "memory-recall").splitlines()) == 2

    def test_a_skill_that_is_not_there_is_refused(self) -> None:
        with pytest.raises(CommandError, match="There is no such skill"):
            call_command("evaluate_skills", "--skill", "nothing")


# --- REST ---


class TestApi:
    pytestmark = both

    def test_operators_see_how_each_stands(self, operator: User) -> None:
        evaluate_skills(None, ["weekly-review"])
        status, body = Api(operator)("GET", EVALUATIONS)
        assert status == 200
        states = {row["skill_id"]: row["state"] for row in body["results"]}
        assert states["weekly-review"] == "passed"
        assert states["memory-recall"] == "never"

    def test_what_failed_is_named(self, operator: User) -> None:
        with registry.only(skill()):
            make_evaluation()
            _status, body = Api(operator)("GET", EVALUATIONS)
        [row] = body["results"]
        assert (row["state"], row["evaluation"]["passed_count"]) == ("failed", 1)
        assert row["evaluation"]["failed"] == make_failed()

    def test_it_is_for_operators_who_may_see_them(self, alice: User, operator: User) -> None:
        assert Api(alice)("GET", EVALUATIONS)[0] == 403
        User.objects.filter(pk=operator.pk).update(is_superuser=False)
        assert Api(User.objects.get(pk=operator.pk))("GET", EVALUATIONS)[0] == 403

    def test_a_token_needs_the_scope(self, operator: User) -> None:
        others = sorted(set(Scope.values) - {Scope.SKILLS})
        told = error_of(Api(operator, others)("GET", EVALUATIONS))
        assert told[:2] == (403, "scope_missing")

    def test_it_is_only_read(self, operator: User) -> None:
        assert Api(operator)("POST", EVALUATIONS, {})[0] == 405

    def test_it_costs_the_same_however_many_skills_there_are(self, operator: User) -> None:
        api = Api(operator)

        def cost(*skills: Any) -> int:
            with registry.only(*skills), CaptureQueriesContext(connection) as queries:
                api("GET", EVALUATIONS)
            return len(queries)

        many = [skill(skill_id=f"echo-{n}") for n in range(10)]
        make_evaluation("echo-1")
        cost(many[1])
        few = cost(many[1])
        for n in range(2, 10):
            make_evaluation(f"echo-{n}")
        assert cost(*many) == few


def make_failed() -> list[dict[str, Any]]:
    problem = "expected none: no_match, got echo"
    return [{"case": "something else", "problem": problem, "regression": True}]


# --- The console ---


class TestConsole:
    pytestmark = both

    @pytest.fixture
    def console(self, client: Client, operator: User) -> Client:
        client.force_login(operator)
        return client

    def test_the_list_says_how_each_stands_and_what_failed(self, console: Client) -> None:
        with registry.only(skill()):
            make_evaluation()
            text = console.get(reverse(LIST)).content.decode()
        for words in ("echo@1.0.0", "1 regression", "1 of 2", "regression: it passed"):
            assert words in text

    def test_a_result_says_what_failed(self, console: Client) -> None:
        row = make_evaluation()
        page = reverse("admin:skills_skillevaluation_change", args=[row.pk])
        text = console.get(page).content.decode()
        assert "expected none: no_match, got echo" in text

    def test_nothing_of_it_can_be_changed(self, console: Client) -> None:
        row = make_evaluation()
        page = reverse("admin:skills_skillevaluation_change", args=[row.pk])
        assert console.post(page, {"version": "2.0.0"}).status_code == 403
        assert console.post(reverse("admin:skills_skillevaluation_add")).status_code == 403

    def test_they_are_run_again_by_a_button(self, console: Client, operator: User) -> None:
        page = reverse("admin:skills_skillevaluation_evaluate_page")
        assert "never" not in console.get(page).content.decode()
        assert not SkillEvaluation.objects.exists()  # a look runs nothing
        response = console.post(page, follow=True)
        assert "cases passed" in response.content.decode()
        rows = SkillEvaluation.objects.all()
        assert {row.evaluated_by for row in rows} == {operator}

    def test_what_failed_is_told_at_once(self, console: Client) -> None:
        page = reverse("admin:skills_skillevaluation_evaluate_page")
        with fake_types(), registry.only(skill(matchers=GREEDY)):
            response = console.post(page, follow=True)
        assert "1 case failed." in response.content.decode()

    def test_who_may_only_look_runs_nothing(self, client: Client, reader: User) -> None:
        client.force_login(reader)
        page = reverse("admin:skills_skillevaluation_evaluate_page")
        assert client.get(reverse(LIST)).status_code == 200
        assert client.post(page).status_code == 403
        assert not SkillEvaluation.objects.exists()

    @pytest.fixture
    def reader(self, operator: User) -> User:
        User.objects.filter(pk=operator.pk).update(is_superuser=False)
        user = User.objects.get(pk=operator.pk)
        user.user_permissions.add(Permission.objects.get(codename="view_skillevaluation"))
        return user
