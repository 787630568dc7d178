"""Meeting notes: asked for one thing after the other, written as a document once confirmed."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import JsonValue

from skills.context import SkillContext
from skills.definitions import WorkflowSkill
from skills.enums import ApprovalMode, SkillKind, SkillScope
from skills.manifests import Manifest, Matchers, PermissionRequirement
from skills.registry import register
from skills.shipped import skill_cases
from skills.steps import ListStep, TextStep
from tools.enums import Risk

MEETING_NOTES = "meeting-notes"


@register
class MeetingNotes(WorkflowSkill):
    manifest = Manifest(
        skill_id=MEETING_NOTES,
        version="1.0.0",
        kind=SkillKind.WORKFLOW,
        name=gettext_lazy("Meeting notes"),
        description=gettext_lazy(
            "Asks for title, attendees, decisions and actions, and writes them as a document once "
            "you have confirmed it."
        ),
        scope=SkillScope.SINGLE_CHAT,
        permissions=(
            PermissionRequirement(
                code="document:write",
                risk=Risk.L2,
                approval=ApprovalMode.PERSISTENT,
                label=gettext_lazy("Write documents"),
                description=gettext_lazy("Lets the skill propose documents for you."),
            ),
            PermissionRequirement(
                code="document:create",
                risk=Risk.L2,
                approval=ApprovalMode.PER_OPERATION,
                label=gettext_lazy("Create this document"),
                description=gettext_lazy("You are shown each document before it is written."),
            ),
        ),
        matchers=Matchers(
            explicit=("/meeting-notes",),
            phrases={
                "en": (
                    "take meeting notes",
                    "write meeting notes",
                    "start meeting notes",
                    "take minutes",
                    "write the minutes",
                ),
                "zh-hans": (
                    *("写会议纪要", "做会议纪要", "记会议纪要", "整理会议纪要", "写会议记录"),
                    "开始会议纪要",
                ),
            },
            patterns={
                "en": (
                    r"\b(?:take|write|make|start|prepare)\b.{0,20}\b(?:meeting notes|minutes of)\b",
                ),
                "zh-hans": (r"(?:写|做|记|整理|起草)(?:一下|一份|个)?.{0,10}会议(?:纪要|记录)",),
            },
        ),
    )
    cases = skill_cases.MEETING_NOTES
    tool_id = "document"
    tool_use = "create"
    steps = (
        TextStep(
            name="title",
            label=gettext_lazy("Title"),
            question=gettext_lazy("What is the meeting called?"),
            aliases=("标题", "题目"),
        ),
        ListStep(
            name="attendees",
            label=gettext_lazy("Attendees"),
            question=gettext_lazy("Who was there? Names with commas between, or one on each line."),
            aliases=("people", "参会人", "与会者", "参会者"),
            separators=",，、;；",
            max_length=100,
        ),
        ListStep(
            name="decisions",
            label=gettext_lazy("Decisions"),
            question=gettext_lazy("What was decided? One on each line, or with “;” between."),
            aliases=("决定", "决议"),
            optional=True,
        ),
        ListStep(
            name="actions",
            label=gettext_lazy("Actions"),
            question=gettext_lazy(
                "Who does what until when? One on each line, or with “;” between."
            ),
            aliases=("action items", "todos", "行动项", "待办"),
            optional=True,
        ),
    )

    def build_arguments(
        self, answers: Mapping[str, JsonValue], context: SkillContext
    ) -> Mapping[str, Any]:
        parts = (
            _section(_("Attendees"), answers["attendees"], _("Nobody was named.")),
            _section(_("Decisions"), answers["decisions"], _("No decision was recorded.")),
            _section(_("Actions"), answers["actions"], _("No action was recorded.")),
        )
        return {
            "action": "create",
            "type": "document",
            "title": answers["title"],
            "content": "\n\n".join(parts) + "\n",
            "tags": ["meeting-notes"],
        }

    def link_to(self, receipt: Mapping[str, Any]) -> str:
        document_id = receipt.get("id")
        if not document_id:
            return ""
        words, address = _("open the notes"), reverse("documents:detail", args=[document_id])
        return f"[{words}]({address})"


def _section(heading: str, items: JsonValue, instead: str) -> str:
    lines = "\n".join(f"- {item}" for item in items) if isinstance(items, list) else ""
    return f"## {heading}\n\n{lines or instead}"
