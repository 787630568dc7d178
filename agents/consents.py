"""Consent: given by confirming a draft that says what leaves for whom, seen and taken back here."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from agents.models import Consent, Conversation
from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound
from config.base.models import User
from tools.enums import ConsentKind, DraftKind
from tools.models import ActionDraft
from tools.registry import find_tool_type


def list_consents(user: User) -> QuerySet[Consent]:
    """Those in force, the newest first."""
    rows = Consent.objects.for_user(user).in_force().select_related("conversation")
    return rows.order_by("-given_at", "-pk")


def get_consent(user: User, consent_id: UUID) -> Consent:
    found = list_consents(user).filter(pk=consent_id).first()
    if found is None:
        raise NotFound
    return found


def find_consent(actor: Actor, kind: ConsentKind, service: str) -> Consent | None:
    """What the actor's own conversation may let out; without one there is none."""
    if actor.conversation_id is None:
        return None
    rows = Consent.objects.for_user(actor.user).in_force()
    return rows.filter(conversation_id=actor.conversation_id, kind=kind, service=service).first()


@transaction.atomic
def give_consent(actor: Actor, kind: ConsentKind, service: str) -> Consent | None:
    """For the actor's own conversation, from now on; None where there is none to remember it."""
    own = Conversation.objects.for_user(actor.user).select_for_update()
    conversation = own.filter(pk=actor.conversation_id).first() if actor.conversation_id else None
    if conversation is None:
        return None
    until = Now() + timedelta(hours=settings.CONSENT_HOURS)
    consent, _created = Consent.objects.update_or_create(
        conversation=conversation,
        kind=kind,
        service=service,
        defaults={"until": until, "given_at": Now()},
    )
    _record("consent.given", actor, consent)
    return consent


@transaction.atomic
def revoke_consent(actor: Actor, consent_id: UUID) -> None:
    """From the next call on, the person is asked again. Raises `NotFound`."""
    consent = get_consent(actor.user, consent_id)
    deleted, _rows = Consent.objects.filter(pk=consent.pk).delete()
    if not deleted:
        raise NotFound
    _record("consent.revoked", actor, consent)


def find_asking_draft(actor: Actor, conversation_id: UUID, kind: str) -> ActionDraft | None:
    """The oldest draft of that conversation that asks for consent of this kind."""
    waiting = ActionDraft.objects.for_user(actor.user).waiting().select_related("call", "owner")
    drafts = waiting.filter(kind=DraftKind.CONSENT, call__conversation_id=conversation_id)
    return next((d for d in drafts.order_by("created_at", "pk") if _kind_of(d) == kind), None)


def _kind_of(draft: ActionDraft) -> str:
    tool_type = find_tool_type(draft.call.tool_type)
    return tool_type.consent_kind if tool_type else ""


def _record(action: str, actor: Actor, consent: Consent) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("consent", consent.pk),
        metadata={
            "conversation": str(consent.conversation_id),
            "kind": consent.kind,
            "service": consent.service,
        },
    )
