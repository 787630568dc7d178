"""The person's workflows that are under way or paused, each with its conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from agents.views.skills.places import Places
from config.base.models import User
from skills.workflows.shown import ShownSession, show_open


@dataclass(frozen=True, slots=True)
class SessionLine:
    session: ShownSession
    conversation: tuple[str, str] | None


def session_lines(user: User) -> Sequence[SessionLine]:
    sessions = show_open(user)
    places = Places.of(user, [], [one.conversation_id for one in sessions])
    return [SessionLine(one, places.link(one.conversation_id)) for one in sessions]
