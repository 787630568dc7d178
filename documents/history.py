"""Who changed what, in words."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from config.base.actor import Origin
from config.base.models import User
from documents.enums import Change
from documents.models import DocumentVersion
from documents.selectors import list_versions
from tools.directory import agent_directory

SHOWN = 6


@dataclass(frozen=True, slots=True)
class HistoryLine:
    document_id: uuid.UUID
    revision: int
    title: str
    actor_label: str
    by_agent: bool
    origin_label: str
    change: str  # what changed
    sentence: str  # what was done
    created_at: datetime
    run_id: uuid.UUID | None


def list_history(user: User, document_id: uuid.UUID) -> list[HistoryLine]:
    """The newest first; one more than is shown tells that there are more."""
    return lines_of(list_versions(user, document_id)[: SHOWN + 1], user)


def lines_of(versions: Iterable[DocumentVersion], reader: User) -> list[HistoryLine]:
    versions = list(versions)
    names = agent_names(versions)
    return [_line(version, reader, names) for version in versions]


def agent_names(versions: Iterable[DocumentVersion]) -> Mapping[uuid.UUID, str]:
    """By id, of the agents that are still there; nothing is asked where there are none."""
    ids = {version.agent_id for version in versions if version.agent_id}
    return agent_directory().name_of(ids) if ids else {}


def label_of(version: DocumentVersion, reader: User, names: Mapping[uuid.UUID, str]) -> str:
    if version.agent_id:
        return names.get(version.agent_id) or _("An agent")
    if version.user_id == reader.pk:
        return _("You")
    return version.user.display_name if version.user else _("Somebody")


def _line(version: DocumentVersion, reader: User, names: Mapping[uuid.UUID, str]) -> HistoryLine:
    return HistoryLine(
        document_id=version.document_id,
        revision=version.revision,
        title=version.title,
        actor_label=label_of(version, reader, names),
        by_agent=version.agent_id is not None,
        origin_label=origin_label(version.origin),
        change=change_label(version),
        sentence=_sentence(version),
        created_at=version.created_at,
        run_id=version.run_id,
    )


def origin_label(origin: str) -> str:
    """ "" for a person's own pages: that is where one expects it."""
    labels = {
        Origin.CHAT: _("in a chat"),
        Origin.PLANNER: _("in a plan"),
        Origin.SKILL: _("by a skill"),
        Origin.JOB: _("in the background"),
        Origin.WORKFLOW: _("in a workflow"),
        Origin.API: _("by API"),
        Origin.ADMIN: _("in the console"),
        Origin.MCP: _("by MCP"),
    }
    return labels.get(Origin(origin), "") if origin in list(Origin) else ""


def change_label(version: DocumentVersion) -> str:
    if version.restored_from:
        return _("restored r%(revision)s") % {"revision": version.restored_from}
    if version.change == Change.RESTORED:
        return _("restored from the trash")
    if version.change != Change.UPDATED:
        return str(Change(version.change).label)
    return ", ".join(field_label(name) for name in version.changed_fields)


def _sentence(version: DocumentVersion) -> str:
    label = change_label(version)
    updated = version.change == Change.UPDATED and not version.restored_from
    return _("changed %(names)s") % {"names": label} if updated else label


def field_label(name: str) -> str:
    labels = {
        "title": _("title"),
        "content": _("text"),
        "summary": _("summary"),
        "tags": _("tags"),
        "type": _("type"),
    }
    return labels.get(name, name)
