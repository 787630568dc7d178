"""How each skill stands by its own cases: for operators."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from config.base.models import Scope
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PAGE, PaginatedView
from config.base.rest.permissions import HasScope, IsOperator
from skills.api import examples
from skills.enums import EvaluationState
from skills.evaluations.selectors import Standing, list_standings
from skills.models import SkillEvaluation


class FailedCaseSerializer(serializers.Serializer[Any]):
    case = serializers.CharField(help_text="Its name in the skill's definition.")
    problem = serializers.CharField(help_text="What was expected and what came.")
    regression = serializers.BooleanField(help_text="It passed the last time.")


class EvaluationSerializer(serializers.ModelSerializer[SkillEvaluation]):
    failed = FailedCaseSerializer(many=True)

    class Meta:
        model = SkillEvaluation
        fields = [
            "version",
            "case_count",
            "passed_count",
            "regression_count",
            "failed",
            "evaluated_at",
        ]


@answers_like(
    all_passed=examples.EVALUATION,
    one_became_worse=examples.EVALUATION_WORSE,
    not_yet=examples.NEVER_EVALUATED,
)
class StandingSerializer(serializers.Serializer[Standing]):
    skill_id = serializers.CharField(source="skill.manifest.skill_id")
    version = serializers.CharField(
        source="skill.manifest.version", help_text="The one that is installed."
    )
    state = serializers.ChoiceField(
        EvaluationState.choices,
        help_text="`outdated`: what passed was another version, or other cases.",
    )
    case_count = serializers.IntegerField(help_text="That it ships with.")
    evaluation = EvaluationSerializer(
        source="latest", allow_null=True, help_text="The latest; null before the first."
    )


class EvaluationsView(PaginatedView):
    permission_classes = [IsAuthenticated, IsOperator, HasScope]
    model_permissions = {"GET": "skills.view_skillevaluation"}
    scope = Scope.SKILLS

    @extend_schema(
        summary="List how the skills stand by their own cases",
        parameters=PAGE,
        responses=StandingSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """The latest result of each; `manage.py evaluate_skills` and the console make new ones."""
        standings: Any = list_standings()
        return self.paginated(standings, request, StandingSerializer)
