"""Weekly review: how to look back on a week and plan the next one."""

from django.utils.translation import gettext_lazy as _

from skills.context import SkillContext
from skills.definitions import PromptSkill
from skills.enums import SkillKind, SkillScope
from skills.manifests import Manifest, Matchers
from skills.registry import register
from skills.shipped import skill_cases


@register
class WeeklyReview(PromptSkill):
    manifest = Manifest(
        skill_id="weekly-review",
        version="1.0.0",
        kind=SkillKind.PROMPT,
        name=_("Weekly review"),
        description=_("Looks back on your week with you and plans the next one."),
        scope=SkillScope.SINGLE_CHAT,
        matchers=Matchers(
            explicit=("/weekly-review",),
            phrases={
                "en": ("weekly review", "review my week", "look back on my week"),
                "zh-hans": ("每周回顾", "每周复盘", "周复盘", "周回顾", "复盘这周", "回顾这周"),
            },
            patterns={
                "en": (r"\b(?:review|recap|reflect on)\b.{0,20}\b(?:this|the|last|past) week\b",),
                "zh-hans": (
                    r"(?:回顾|复盘|总结)(?:一下)?(?:我的?)?(?:这|本|上)(?:个)?(?:周|星期)",
                ),
            },
        ),
    )

    cases = skill_cases.WEEKLY_REVIEW

    def instruction(self, context: SkillContext) -> str:
        return (
            "The person wants to review their week. Go by what they have told you in this "
            "conversation, and by nothing that they have not. Ask for what is missing, one "
            "question at a time: what went well, what did not, what they learned, what is open. "
            "When you know enough, answer with four short lists under these headings: Done, "
            "Stuck, Learned, Next week; at most five points each, next week's points with a day "
            "or a date. Never invent an event, a number or a name. Write in the person's language."
        )
