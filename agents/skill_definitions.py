"""The skills that need memories and messages."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from agents import skill_cases
from agents.memories.recall import MOST
from agents.memories.telling import tell
from agents.reminders.payload import ReminderPayload, build_reminder
from agents.reminders.writing import write_reminder
from agents.types.memory_search.schemas import MemorySearchInput, MemorySearchOutput
from config.base.actor import Actor
from skills.context import SkillContext
from skills.definitions import BackgroundContext, BackgroundSkill, ToolSkill
from skills.enums import ApprovalMode, SkillKind, SkillScope
from skills.manifests import Manifest, Matchers, PermissionRequirement
from skills.messages import after_command, command_of
from skills.registry import register
from tools.enums import Risk

CHECK_IN = "goal-check-in-reminder"
MAX_QUERY_CHARS = 2_000  # what `memory_search` takes, as it is shipped


@register
class MemoryRecall(ToolSkill[MemorySearchInput, MemorySearchOutput]):
    manifest = Manifest(
        skill_id="memory-recall",
        version="1.0.0",
        kind=SkillKind.TOOL,
        name=_("Memory recall"),
        description=_("Answers from what you let the agent remember of you."),
        scope=SkillScope.SINGLE_CHAT,
        permissions=(
            PermissionRequirement(
                code="memory:read",
                risk=Risk.L1,
                approval=ApprovalMode.PERSISTENT,
                label=_("Read agent memories"),
                description=_(
                    "Lets the agent look up what it remembers of you while it answers you. "
                    "It changes nothing."
                ),
            ),
        ),
        matchers=Matchers(
            explicit=("/memory-recall",),
            phrases={
                "en": (
                    "do you remember",
                    "do you still remember",
                    "do you recall",
                    "can you recall",
                    "what do you know about me",
                    "what did i tell you",
                    "have i told you",
                    "did i tell you",
                ),
                "zh-hans": (
                    "还记得",
                    "记不记得",
                    "想得起",
                    "我跟你说过",
                    "我告诉过你",
                    "我之前说过",
                    "我以前说过",
                    "你了解我",
                ),
            },
            patterns={
                "en": (
                    r"\byou (?:still )?(?:remember|recall)\b[^.!?\n]{0,100}\?",
                    r"\bwhat (?:is|are|was|were) my\b.{0,60}\bagain\b",
                    r"\bremind me\b.{0,10}\bwhat\b.{0,40}\bi (?:said|told|liked?|wanted)\b",
                ),
                "zh-hans": (
                    r"(?:之前|以前|上次).{0,10}(?:说过|提过|提到过|聊过|告诉).{0,20}(?:什么|哪|吗|多少|谁)",
                    r"你记得[^。！!\n]{1,40}[吗么？?]",
                    r"(?:回忆(?:一下|起来?)?|想起来?).{0,10}我.{0,20}(?:什么|哪|吗|多少|谁)",
                ),
            },
        ),
    )
    cases = skill_cases.MEMORY_RECALL
    tool_id = "memory_search"
    timeout_ms = 2000
    max_calls_per_turn = 1
    input_model = MemorySearchInput
    output_model = MemorySearchOutput

    def build_input(self, context: SkillContext) -> Mapping[str, Any]:
        """The question without the command: that is no word of a memory."""
        text = context.text
        is_command = command_of(text) in self.manifest.matchers.explicit
        query = after_command(text) if is_command else text
        return {"query": query[:MAX_QUERY_CHARS]}

    def build_system_instruction(self, output: MemorySearchOutput) -> str:
        return tell([memory.text for memory in output.memories[:MOST]])


@register
class GoalCheckInReminder(BackgroundSkill[ReminderPayload]):
    manifest = Manifest(
        skill_id=CHECK_IN,
        version="1.0.0",
        kind=SkillKind.BACKGROUND,
        name=_("Goal check-in reminder"),
        description=_("Writes to you at a time that you choose, to look at a goal together."),
        scope=SkillScope.BACKGROUND,
        permissions=(
            PermissionRequirement(
                code="proactive_message:write",
                risk=Risk.L2,
                approval=ApprovalMode.PERSISTENT,
                label=_("Send proactive reminders"),
                description=_(
                    "Lets the agent write a reminder into your conversation while you are away."
                ),
            ),
        ),
        matchers=Matchers(),
    )
    cases = skill_cases.CHECK_IN
    payload_model = ReminderPayload

    def build_payload(self, actor: Actor, agent_id: UUID, note: str) -> ReminderPayload:
        return build_reminder(actor, agent_id, note)

    def execute(self, context: BackgroundContext[ReminderPayload]) -> None:
        write_reminder(
            context.job_id,
            actor=context.actor,
            conversation_id=context.payload.conversation_id,
            note=context.payload.note,
            skill=self.manifest.skill_id,
            skill_version=self.manifest.version,
        )
