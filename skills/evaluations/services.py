"""Running the cases and keeping how they went; each result with its event in one transaction."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from config.base import audit
from config.base.actor import Actor
from skills.definitions import Skill
from skills.errors import EvaluatedElsewhere
from skills.evaluations.judging import Verdict, judge_case
from skills.models import SkillEvaluation
from skills.registry import get_skill, list_skills

_ATTEMPTS = 3


class _Overtaken(Exception):
    """While it waited for the latest result, another became it."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Beside the result before: what passed then and does not now has become worse."""

    verdicts: Sequence[Verdict]
    passed_before: frozenset[str] = frozenset()

    @property
    def passed(self) -> list[str]:
        return [one.case for one in self.verdicts if one.passed]

    @property
    def failed(self) -> list[dict[str, Any]]:
        return [
            {
                "case": one.case,
                "problem": one.problem[:500],
                "regression": one.case in self.passed_before,
            }
            for one in self.verdicts
            if not one.passed
        ]


def evaluate_skills(actor: Actor | None, skill_ids: Sequence[str] = ()) -> list[SkillEvaluation]:
    """These, or all that are installed, in their newest version. Raises `UnknownSkill`."""
    chosen = [get_skill(skill_id) for skill_id in skill_ids] or list_skills()
    return [evaluate_skill(skill, actor) for skill in chosen]


def evaluate_skill(skill: Skill, actor: Actor | None) -> SkillEvaluation:
    """Of two at once the later is held against the earlier. Raises `EvaluatedElsewhere`."""
    verdicts = [judge_case(skill, case) for case in skill.cases]
    for _attempt in range(_ATTEMPTS):
        with suppress(IntegrityError, _Overtaken):
            return _keep(skill, verdicts, actor)
    raise EvaluatedElsewhere


@transaction.atomic
def _keep(skill: Skill, verdicts: Sequence[Verdict], actor: Actor | None) -> SkillEvaluation:
    manifest = skill.manifest
    latest = SkillEvaluation.objects.latest_of([manifest.skill_id])
    before = latest.select_for_update().first()
    compared = Compared(verdicts, frozenset(before.passed if before else ()))
    if latest.update(is_latest=False) and before is None:
        raise _Overtaken
    failed = compared.failed
    row = SkillEvaluation.objects.create(
        skill_id=manifest.skill_id,
        version=manifest.version,
        evaluated_by=actor.user if actor else None,
        case_count=len(verdicts),
        passed_count=len(compared.passed),
        regression_count=sum(one["regression"] for one in failed),
        passed=compared.passed,
        failed=failed,
    )
    _record(row, actor)
    row.refresh_from_db(fields=["evaluated_at"])
    return row


def _record(row: SkillEvaluation, actor: Actor | None) -> None:
    audit.record(
        "skill.evaluated",
        audit.Outcome.FAILED if row.failed_count else audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("skill_evaluation", row.pk),
        skill=row.skill_id,
        skill_version=row.version,
        reason_code="regression" if row.regression_count else "",
        metadata={"cases": row.case_count, "passed": row.passed_count},
    )
