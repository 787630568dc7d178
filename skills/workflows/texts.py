"""What the agent says for a workflow. From the rows alone, so that it is the same when a killed
process is followed by another."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from skills.definitions import WorkflowSkill
from skills.enums import MoveKind, SessionState
from skills.manifests import PermissionRequirement
from skills.models import WorkflowMove, WorkflowSession
from skills.policy import SKILLS_PAGE, permission_anchor
from skills.steps import Step
from tools.quoting import quotable


def question(skill: WorkflowSkill, session: WorkflowSession) -> str:
    """What is asked now; empty once nothing is."""
    step = skill.step(session.step)
    if step is None:
        return ""
    number = skill.steps.index(step) + 1
    place = _("**%(label)s** (%(n)s of %(count)s)")
    head = place % {"label": step.label, "n": number, "count": len(skill.steps)}
    return "\n".join(filter(None, [f"{head}: {step.question}", *_hints(step, session)]))


def _hints(step: Step, session: WorkflowSession) -> list[str]:
    kept = session.answers.get(step.name)
    hints = []
    if kept is not None:
        hints.append(
            _("Current answer: %(answer)s. Say “skip” to keep it.") % {"answer": step.show(kept)}
        )
    elif step.optional:
        hints.append(_("Say “skip” to leave it out."))
    return [f"\n{hint}" for hint in hints]


def words(skill: WorkflowSkill) -> str:
    """How a person steers it."""
    first = skill.steps[0].label
    return _(
        "At any time: “pause” to go on later, “back”, “cancel”, or “change %(step)s to …”. "
        "To give one of these words as an answer, write /answer and the word."
    ) % {"step": str(first).lower()}


def acknowledgement(skill: WorkflowSkill, session: WorkflowSession, move: WorkflowMove) -> str:
    """What has become of the message, before the next question."""
    step = skill.step(move.step)
    answer = session.answers.get(move.step)
    if move.kind == MoveKind.CORRECTED and step is not None and answer is not None:
        said = _("Changed: %(label)s is now “%(answer)s”.")
        return said % {"label": step.label, "answer": quotable(step.show(answer))}
    if move.kind == MoveKind.SKIPPED and step is not None and answer is None:
        return _("%(label)s: left out.") % {"label": step.label}
    if move.kind == MoveKind.RESUMED:
        return _("Going on with “%(skill)s”.") % {"skill": skill.manifest.name}
    return ""


def begun(skill: WorkflowSkill, missing: Sequence[PermissionRequirement]) -> str:
    """`missing`: what the person has to allow before it can be saved."""
    opening = f"{skill.manifest.name}. {skill.manifest.description}"
    return "\n\n".join(filter(None, [opening, words(skill), _ahead(skill, missing)]))


def _ahead(skill: WorkflowSkill, missing: Sequence[PermissionRequirement]) -> str:
    if not missing:
        return ""
    said = _("You can begin now. Before it can be saved, allow %(names)s: %(page)s")
    names = ", ".join(f"“{one.label}”" for one in missing)
    page = f"{SKILLS_PAGE}#{permission_anchor(skill.manifest, missing[0].code)}"
    return said % {"names": names, "page": page}


def paused(name: object) -> str:
    return _(
        "“%(skill)s” is paused; what you have said is kept. Say “resume” or /resume to go on, "
        "/cancel to drop it. Until then your messages are messages like any other."
    ) % {"skill": name}


def over(session: WorkflowSession, name: object) -> str:
    """How it ended, or that it is paused or has moved on."""
    match session.state:
        case SessionState.PAUSED:
            return paused(name)
        case SessionState.EXPIRED:
            return expired(name)
        case SessionState.CANCELLED:
            said = _("“%(skill)s” is cancelled: nothing is written.")
        case SessionState.COMPLETED:
            said = _("“%(skill)s” is done: it is written already.")
        case _:
            said = _("“%(skill)s” has been changed since; this was not written.")
    return said % {"skill": name}


def gone(name: object) -> str:
    return _(
        "“%(skill)s” has ended: it is not installed any more in the version that it began with. "
        "Nothing is written. Begin anew if there is a newer one."
    ) % {"skill": name}


def expired(name: object) -> str:
    return _(
        "“%(skill)s” has expired: nobody went on with it in time. Nothing was written; begin anew."
    ) % {"skill": name}


def switched_off(name: object) -> str:
    said = _("“%(skill)s” is switched off; switch it on under %(page)s.")
    return said % {"skill": name, "page": SKILLS_PAGE}


def no_command(skill: WorkflowSkill) -> str:
    return _(
        "“%(skill)s” is under way here. Say “pause” or “cancel” before you use another command; "
        "to answer with these very words: /answer and the words."
    ) % {"skill": skill.manifest.name}


def waits() -> str:
    return _(
        "It waits for you on the card above: confirm it there, or say “change … to …”, “back”, "
        "“pause” or “cancel”."
    )


def how_to_go_on() -> str:
    """Once everything is answered and nothing waits."""
    return _(
        "Your answers are kept. Say “write” to be shown it again, “change … to …” to correct it, "
        "“pause” or “cancel”."
    )
