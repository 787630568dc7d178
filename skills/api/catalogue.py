"""Which skills there are, and how each stands for me."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PAGE, PaginatedView
from skills.api import examples
from skills.api.fields import AGENT, asked_agent
from skills.definitions import Skill
from skills.enums import ApprovalMode, SkillKind, SkillScope
from skills.given import Given, all_given
from skills.manifests import Manifest, PermissionRequirement
from skills.policy import PolicyDecision, covering_grant, decide_skill
from skills.registry import list_skills
from tools.enums import DecisionOutcome, Risk


class RequirementSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    risk = serializers.ChoiceField([risk.name for risk in Risk])
    approval = serializers.ChoiceField(ApprovalMode.choices)
    label = serializers.CharField(  # type: ignore[assignment]  # a field; DRF's has one, too
        help_text="What a person is asked."
    )
    description = serializers.CharField(help_text="What it lets happen.")
    granted = serializers.BooleanField(help_text="Whether a grant of yours covers it here.")
    grant = serializers.UUIDField(allow_null=True, help_text="That grant.")


class PolicySerializer(serializers.Serializer[PolicyDecision]):
    outcome = serializers.ChoiceField(DecisionOutcome.choices)
    reason_code = serializers.CharField()
    reason = serializers.CharField(help_text="For people, in their language.")
    missing = serializers.ListField(child=serializers.CharField(), help_text="Permission codes.")


@answers_like(usable=examples.SKILL, not_permitted=examples.SKILL_NOT_PERMITTED)
class SkillSerializer(serializers.Serializer[Skill]):
    """`context` holds what was `given`."""

    skill_id = serializers.CharField(source="manifest.skill_id")
    version = serializers.CharField(source="manifest.version", help_text="The newest.")
    kind = serializers.ChoiceField(SkillKind.choices, source="manifest.kind")
    name = serializers.CharField(source="manifest.name")
    description = serializers.CharField(source="manifest.description")
    scope = serializers.ChoiceField(
        SkillScope.choices, source="manifest.scope", help_text="Where it may be used."
    )
    commands = serializers.ListField(
        child=serializers.CharField(),
        source="manifest.matchers.explicit",
        help_text="What asks for it at the start of a message; words of your own may, too.",
    )
    enabled = serializers.SerializerMethodField(
        help_text="By the switch for the agent, else the one for all, else as it is shipped."
    )
    permissions = serializers.SerializerMethodField()
    decision = serializers.SerializerMethodField(help_text="Whether it could act right now.")

    def get_enabled(self, skill: Skill) -> bool:
        return self._given.is_enabled(skill.manifest)

    @extend_schema_field(RequirementSerializer(many=True))
    def get_permissions(self, skill: Skill) -> Any:
        manifest = skill.manifest
        return [_requirement(manifest, one, self._given) for one in manifest.permissions]

    @extend_schema_field(PolicySerializer)
    def get_decision(self, skill: Skill) -> Any:
        return PolicySerializer(decide_skill(skill.manifest, self._given)).data

    @property
    def _given(self) -> Given:
        given: Given = self.context["given"]
        return given


class CatalogueView(PaginatedView):
    scope = Scope.SKILLS
    error_codes = {404: ["agent_not_found"]}

    @extend_schema(
        summary="List the skills and how each stands for you",
        parameters=[AGENT, *PAGE],
        responses=SkillSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Switched on or not, permitted or not, and why; nothing runs and nothing is recorded."""
        given = all_given(signed_in(request), asked_agent(request))
        skills: Any = list_skills()
        return self.paginated(skills, request, _told(given))


def _told(given: Given) -> Any:
    def serialize(page: Any, many: bool) -> Any:
        return SkillSerializer(page, many=many, context={"given": given})

    return serialize


def _requirement(manifest: Manifest, one: PermissionRequirement, given: Given) -> dict[str, Any]:
    grant = covering_grant(manifest, one.code, given)
    return {
        "code": one.code,
        "risk": one.risk.name,
        "approval": one.approval.value,
        "label": str(one.label),
        "description": str(one.description),
        "granted": grant is not None,
        "grant": str(grant.id) if grant else None,
    }
