"""Who changed what, in words."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from config.base.models import User
from documents.enums import Change
from documents.models import DocumentVersion
from documents.selectors import list_versions
from tools.drafts.contexts import agent_directory

SHOWN = 10


@dataclass(frozen=True, slots=True)
class HistoryLine:
    revision: int
    actor_label: str
    by_agent: bool
    origin_label: str
    change: str
    created_at: datetime


def list_history(user: User, document_id: uuid.UUID) -> list[HistoryLine]:
    """The newest first."""
    versions = list(list_versions(user, document_id)[:SHOWN])
    names = agent_names(versions)
    return [_line(version, user, names) for version in versions]


def describe_last_author(user: User, document_id: uuid.UUID) -> str:
    last = list_versions(user, document_id).first()
    return label_of(last, user, agent_names([last])) if last else _("Somebody")


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
        revision=version.revision,
        actor_label=label_of(version, reader, names),
        by_agent=version.agent_id is not None,
        origin_label=origin_label(version.origin),
        change=_change_label(version),
        created_at=version.created_at,
    )


def origin_label(origin: str) -> str:
    labels = {"chat": _("in a chat"), "api": _("by API"), "admin": _("in the console")}
    return labels.get(origin, "")


def _change_label(version: DocumentVersion) -> str:
    if version.change != Change.UPDATED:
        return str(Change(version.change).label)
    labels = {
        "title": _("title"),
        "content": _("text"),
        "summary": _("summary"),
        "tags": _("tags"),
        "type": _("type"),
    }
    return ", ".join(labels.get(name, name) for name in version.changed_fields)
