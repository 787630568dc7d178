from dataclasses import dataclass

from skills.definitions import Skill
from skills.enums import EvaluationState
from skills.models import SkillEvaluation
from skills.registry import list_skills


@dataclass(frozen=True, slots=True)
class Standing:
    """An installed skill and the latest of its results; None before the first."""

    skill: Skill
    latest: SkillEvaluation | None

    @property
    def state(self) -> EvaluationState:
        """`outdated`: what passed was another version, or other cases."""
        if self.latest is None:
            return EvaluationState.NEVER
        if self.latest.failed_count:
            return EvaluationState.FAILED
        if self.latest.version != self.skill.manifest.version or self._has_other_cases:
            return EvaluationState.OUTDATED
        return EvaluationState.PASSED

    @property
    def case_count(self) -> int:
        return len(self.skill.cases)

    @property
    def _has_other_cases(self) -> bool:
        row = self.latest
        known = {*row.passed, *(one["case"] for one in row.failed)} if row else set()
        return known != {case.name for case in self.skill.cases}


def list_standings() -> list[Standing]:
    """Every installed skill, by id; one query."""
    skills = list_skills()
    rows = SkillEvaluation.objects.latest_of([one.manifest.skill_id for one in skills])
    latest = {row.skill_id: row for row in rows}
    return [Standing(skill, latest.get(skill.manifest.skill_id)) for skill in skills]
