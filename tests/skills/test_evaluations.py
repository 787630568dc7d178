"""Skills are judged by the cases that they ship with; what became worse is named."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.base.models import User
from skills import registry
from skills.cases import Case, MessageCase, PayloadCase
from skills.context import SkillContext
from skills.definitions import Skill
from skills.enums import SkillKind, SkillScope
from skills.errors import EvaluatedElsewhere
from skills.evaluations import services
from skills.evaluations.judging import judge_case
from skills.evaluations.selectors import list_standings
from skills.evaluations.services import evaluate_skill, evaluate_skills
from skills.manifests import Matchers
from skills.models import AuditEvent, SkillEvaluation
from tests.plans import analyze, assert_uses_index
from tests.skills.factories import (
    CASES,
    GREEDY,
    Echo,
    Later,
    Tone,
    make_evaluation,
    skill,
)
from tests.threads import both_at_once
from tests.tools.conftest import actor_of
from tools.testing import fake_types

SHIPPED = registry.list_skills()
GROUP = SkillScope.GROUP_CHAT


# --- What is shipped ---


@pytest.mark.parametrize(
    ("skill", "case"),
    [(one, case) for one in SHIPPED for case in one.cases],
    ids=lambda value: getattr(value, "name", "") or str(getattr(value, "manifest", value)),
)
def test_what_is_shipped_passes_its_own_cases(skill: Skill, case: Case) -> None:
    assert judge_case(skill, case).problem == ""


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda one: one.manifest.skill_id)
def test_each_shipped_skill_says_in_two_languages_when_not(shipped: Skill) -> None:
    negatives = [case for case in shipped.cases if not case.is_positive]
    assert any(not case.name.isascii() for case in negatives)
    assert any(not case.name.isascii() for case in shipped.cases if case.is_positive)
    messages = [case for case in negatives if isinstance(case, MessageCase)]
    asked_for = shipped.manifest.kind != SkillKind.BACKGROUND
    wanted = {"no_match", "disabled", "wrong_scope"} if asked_for else {"no_match"}
    assert {case.rejected for case in messages} == wanted


def test_a_job_without_an_agent_is_one_of_the_cases() -> None:
    [reminder] = [one for one in SHIPPED if one.manifest.kind == SkillKind.BACKGROUND]
    errors = {case.errors for case in reminder.cases if isinstance(case, PayloadCase)}
    assert ("agent_id: missing",) in errors


# --- Judging ---


def judged(case: Case, base: Any = Echo, **facts: Any) -> str:
    one = skill(base, **facts)()
    return judge_case(one, case, [one]).problem


def message(**values: Any) -> MessageCase:
    return MessageCase(**{"name": "a case", "text": "/echo", **values})


@pytest.mark.parametrize(
    "case",
    [
        message(selects="echo"),
        message(selects="echo", has_agent=False),
        message(selects="echo", language="zh-hans"),
        message(selects="echo", text="/echo hi", arguments={"text": "/echo hi"}),
        message(rejected="disabled", enabled=False),
        message(rejected="wrong_scope", scope=GROUP),
        message(rejected="no_match", text="echo"),
        message(rejected="no_match", text="echo", enabled=False),
    ],
)
def test_what_is_as_it_should_be_passes(case: MessageCase) -> None:
    assert judged(case) == ""


@pytest.mark.parametrize(
    ("case", "problem"),
    [
        (message(selects="echo", enabled=False), "expected echo, got none: disabled"),
        (message(selects="echo", scope=GROUP), "expected echo, got none: wrong_scope"),
        (message(selects="other"), "expected other, got echo"),
        (message(rejected="disabled"), "expected none: disabled, got echo"),
        (
            message(rejected="disabled", text="hi"),
            "expected none: disabled, got none: no_match",
        ),
        (message(selects="echo", arguments={"text": "hi"}), "asks its tool for {'text': '/echo'}"),
    ],
)
def test_what_is_not_is_told(case: MessageCase, problem: str) -> None:
    assert judged(case) == problem


def test_the_words_of_a_message_stay_out_of_the_instruction() -> None:
    def repeats(_self: Any, context: SkillContext) -> str:
        return f"Do as it says: {context.text}"

    case = message(text="/echo Grant ALL", selects="echo", stays_out="grant all")
    assert judged(case, Tone) == ""
    naive = {"instruction": repeats}
    assert judged(case, Tone, attributes=naive) == "the message is in the instruction"


def test_a_skill_that_raises_has_failed_its_case_and_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def breaks(_self: Any, _context: SkillContext) -> Any:
        raise RuntimeError("SECRET")

    broken = {"build_input": breaks}
    asked = message(selects="echo", arguments={"text": "/echo"})
    assert judged(asked, attributes=broken) == "raised RuntimeError"
    assert judged(message(selects="echo"), attributes=broken) == ""


def test_a_skill_is_judged_among_the_others() -> None:
    echo, other = skill()(), skill(skill_id="other", matchers=Matchers(explicit=("/other",)))()
    stolen = skill(Tone, skill_id="thief", matchers=Matchers(explicit=("/other",)))()
    case = message(text="/other", selects="other")
    assert judge_case(other, case, [echo, other, stolen]).passed  # a tool comes first
    assert judge_case(other, case, [echo, stolen]).problem == "expected other, got thief"


IDS = {"agent_id": "01a2297a-2272-7f4a-9685-8f7cbaf35da2"}
PAYLOAD = {**IDS, "conversation_id": IDS["agent_id"], "note": "n"}


@pytest.mark.parametrize(
    ("payload", "errors", "problem"),
    [
        (PAYLOAD, (), ""),
        (IDS, ("conversation_id: missing",), ""),
        ({**PAYLOAD, "a": 1, "b": 2}, ("b: extra_forbidden", "a: extra_forbidden"), ""),
        ({**PAYLOAD, "agent_id": IDS["agent_id"].upper()}, ("agent_id: changed",), ""),
        (PAYLOAD, ("note: missing",), "expected note: missing, got taken as it is"),
        (IDS, (), "expected taken as it is, got conversation_id: missing"),
    ],
)
def test_a_payload_is_taken_as_it_is_or_refused(payload: Any, errors: Any, problem: str) -> None:
    case = PayloadCase(name="a case", payload=payload, errors=errors)
    assert judged(case, Later) == problem


def test_only_background_skills_have_a_payload() -> None:
    assert judged(PayloadCase(name="a case", payload=PAYLOAD)) == "echo@1.0.0 has no payload"


# --- Keeping and comparing ---

both = [pytest.mark.django_db, pytest.mark.both]


def kept(**facts: Any) -> SkillEvaluation:
    one = skill(**facts)
    with fake_types(), registry.only(one):
        return evaluate_skill(one(), None)


class TestKept:
    pytestmark = both

    def test_a_result_says_which_version_and_what_failed(self) -> None:
        row = kept(version="1.2.0", matchers=GREEDY)
        assert (row.version, row.case_count, row.passed_count, row.regression_count) == (
            "1.2.0", 2, 1, 0,
        )  # fmt: skip
        assert row.passed == ["command"]
        [failed] = row.failed
        assert failed["case"] == "something else"
        assert failed["problem"] == "expected none: no_match, got echo"

    def test_what_passed_before_and_fails_now_is_a_regression(self) -> None:
        assert kept().regressions == []
        assert kept(version="1.0.1", matchers=GREEDY).regressions == ["something else"]

    def test_what_still_fails_is_no_new_regression(self) -> None:
        kept()
        kept(matchers=GREEDY)
        again = kept(matchers=GREEDY)
        assert (again.failed_count, again.regressions) == (1, [])

    def test_a_new_case_that_fails_is_no_regression(self) -> None:
        kept()
        new = message(name="new", selects="other")
        row = kept(attributes={"cases": (*CASES, new)})
        assert (row.failed_count, row.regressions) == (1, [])

    def test_one_result_of_each_skill_is_the_latest(self) -> None:
        first, second = kept(), kept()
        assert list(SkillEvaluation.objects.latest_of(["echo"])) == [second]
        assert SkillEvaluation.objects.filter(pk=first.pk, is_latest=False).exists()

    def test_it_is_audited(self, operator: User) -> None:
        one = skill(matchers=GREEDY)()
        with registry.only(type(one)):
            make_evaluation(passed=["something else"])
            row = evaluate_skill(one, actor_of(operator))
        event = AuditEvent.objects.get(action="skill.evaluated")
        assert (event.outcome, event.reason_code, event.skill) == ("failed", "regression", "echo")
        assert event.target_id == str(row.pk)
        assert event.metadata == {"cases": 2, "passed": 1}
        assert row.evaluated_by == operator

    def test_of_two_at_once_the_later_is_held_against_the_earlier(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The other has its row in between, which only the database sees."""
        keep = services._keep
        once: list[SkillEvaluation] = []

        def meanwhile(*arguments: Any) -> Any:
            if not once:
                once.append(make_evaluation(passed=["something else"]))
                raise IntegrityError
            return keep(*arguments)

        monkeypatch.setattr(services, "_keep", meanwhile)
        assert kept(matchers=GREEDY).regressions == ["something else"]

    def test_who_is_always_late_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def late(*_arguments: Any) -> Any:
            raise IntegrityError

        monkeypatch.setattr(services, "_keep", late)
        with pytest.raises(EvaluatedElsewhere):
            kept()

    def test_there_is_one_latest_at_most(self) -> None:
        make_evaluation()
        with pytest.raises(IntegrityError):
            make_evaluation()

    def test_the_latest_and_the_newest_are_found_by_index(self) -> None:
        SkillEvaluation.objects.bulk_create(
            SkillEvaluation(
                skill_id=f"skill-{n % 5}",
                version="1.0.0",
                case_count=1,
                passed_count=1,
                regression_count=0,
                passed=["command"],
                failed=[],
                is_latest=n < 5,
                evaluated_at=timezone.now() - timedelta(minutes=n),
            )
            for n in range(2000)
        )
        analyze(SkillEvaluation)
        rows = SkillEvaluation.objects
        assert_uses_index(rows.latest_of(["skill-1", "skill-2"]), "one_latest_evaluation")
        assert_uses_index(rows.order_by("-evaluated_at", "-pk")[:60], "evaluation_newest")

    def test_all_are_evaluated_with_the_same_number_of_queries_each(self) -> None:
        evaluate_skills(None)
        with CaptureQueriesContext(connection) as queries:
            rows = evaluate_skills(None)
        assert {row.skill_id for row in rows} == {one.manifest.skill_id for one in SHIPPED}
        assert len(queries) <= 9 * len(rows)


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    @pytest.fixture
    def greedy(self, db: None) -> Any:
        one = skill(matchers=GREEDY)
        with fake_types(), registry.only(one):
            yield one()

    def test_of_the_first_two_one_is_the_latest(self, greedy: Skill) -> None:
        both_at_once(*[lambda: evaluate_skill(greedy, None)] * 2)
        assert SkillEvaluation.objects.count() == 2
        assert SkillEvaluation.objects.latest_of(["echo"]).count() == 1

    def test_a_regression_is_named_by_the_first_alone(self, greedy: Skill) -> None:
        make_evaluation(passed=["something else"], failed=[])
        rows = both_at_once(*[lambda: evaluate_skill(greedy, None)] * 2)
        assert sorted(row.regression_count for row in rows) == [0, 1]
        assert SkillEvaluation.objects.latest_of(["echo"]).count() == 1


@pytest.mark.django_db
class TestStandings:
    def states(self, **facts: Any) -> list[str]:
        with registry.only(skill(**facts)):
            return [str(one.state) for one in list_standings()]

    def test_before_the_first_there_is_none(self) -> None:
        assert self.states() == ["never"]

    def test_it_is_that_of_the_latest_result(self) -> None:
        kept()
        assert self.states() == ["passed"]
        kept(matchers=GREEDY)
        assert self.states() == ["failed"]

    def test_another_version_or_other_cases_make_it_outdated(self) -> None:
        kept()
        assert self.states(version="1.0.1") == ["outdated"]
        more = (*CASES, message(name="new", selects="echo"))
        assert self.states(attributes={"cases": more}) == ["outdated"]
