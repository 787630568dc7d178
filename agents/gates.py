"""The consent gate: nothing leaves for a service that the person has not let this
conversation ask.
"""

from collections.abc import Sequence
from typing import ClassVar, Self

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agents.consents import find_consent, give_consent, list_consents
from agents.models import Consent
from config.base.moments import moment_for
from config.base.outbound.urls import parse_url
from tools.decisions import Leave, Reason
from tools.enums import ConsentKind, DecisionOutcome, LeaveKind
from tools.gates import PreparedCall
from tools.schemas import CallContext
from tools.telling import told


class ConsentGate:
    """Confirming a draft of kind `consent` gives it; a call outside a conversation is asked for
    each time, and one that nobody attends to is refused.
    """

    name: ClassVar[str] = "consent"

    def __init__(self, held: Sequence[Consent] | None = None) -> None:
        self._held = held  # of the conversation, known beforehand

    @classmethod
    def for_many(cls, calls: Sequence[PreparedCall], context: CallContext) -> Self:
        conversation = context.actor.conversation_id
        if conversation is None or not any(call.annotations.needs_consent for call in calls):
            return cls(())
        own = list_consents(context.actor.user)
        return cls(list(own.filter(conversation_id=conversation)))

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        if not call.annotations.needs_consent:
            reason = _("Nothing leaves that a person has to let out.")
            return self._say(DecisionOutcome.ALLOW, "no_consent_needed", reason)
        service = service_of(call)
        if context.unattended:
            reason = _("This leaves for %(service)s, and nobody is there to allow it.")
            return self._say(
                DecisionOutcome.DENY, "consent_unattended", reason % {"service": service}
            )
        consent = self._find(context, call.tool_type.consent_kind, service)
        if consent is None:
            code, reason = _missing(service, context)
            return self._say(DecisionOutcome.NEEDS_CONSENT, code, reason)
        used = Leave(kind=LeaveKind.CONSENT, id=consent.pk, expires_at=consent.until)
        return self._say(DecisionOutcome.ALLOW, "consent_given", _given(consent, context), used)

    def _find(self, context: CallContext, kind: ConsentKind, service: str) -> Consent | None:
        if self._held is None:
            return find_consent(context.actor, kind, service)
        return next((c for c in self._held if (c.kind, c.service) == (kind, service)), None)

    def keep_consent(self, call: PreparedCall, context: CallContext) -> None:
        if call.annotations.needs_consent:
            give_consent(context.actor, call.tool_type.consent_kind, service_of(call))

    def _say(
        self, outcome: DecisionOutcome, code: str, reason: str, leave: Leave | None = None
    ) -> Reason:
        return Reason(self.name, outcome, code, reason, leaves=(leave,) if leave else ())


def service_of(call: PreparedCall) -> str:
    """Where it goes; a type that does not say is its own service."""
    outgoing = call.plan.outgoing
    return parse_url(outgoing.url).netloc if outgoing else call.tool.slug


def _missing(service: str, context: CallContext) -> tuple[str, str]:
    facts = {"service": service, "time": lifetime_in_words()}
    if context.actor.conversation_id is None:
        said = told(_("What stands here leaves Gatehouse for %(service)s; outside a conversation "
                      "you are asked each time."), _THEY_ARE_ASKED, **facts)  # fmt: skip
        return "consent_each_time", said
    said = told(_("What stands here leaves Gatehouse for %(service)s. If you allow it, this "
                  "conversation may ask %(service)s again for %(time)s."),
                _ONCE_THEY_ALLOW, **facts)  # fmt: skip
    return "consent_missing", said


_THEY_ARE_ASKED = gettext_lazy("What stands here leaves Gatehouse for %(service)s; outside a "
                               "conversation %(person)s is asked each time.")  # fmt: skip
_ONCE_THEY_ALLOW = gettext_lazy("What stands here leaves Gatehouse for %(service)s. If "
                                "%(person)s allows it, this conversation may ask %(service)s "
                                "again for %(time)s.")  # fmt: skip


def lifetime_in_words() -> str:
    hours: int = settings.CONSENT_HOURS
    return ngettext("%(n)s hour", "%(n)s hours", hours) % {"n": hours}


def _given(consent: Consent, context: CallContext) -> str:
    reason = _("Allowed on %(given)s, until %(until)s: this conversation may ask %(service)s.")
    user = context.actor.user
    given, until = moment_for(user, consent.given_at), moment_for(user, consent.until)
    return reason % {"given": given, "service": consent.service, "until": until}
