"""What operators do with model profiles; each an audited act."""

from django.db import transaction
from django.utils.translation import gettext as _

from agents.model_clients.probe import PROBE_SECONDS, Probe, probe
from agents.model_clients.resolve import client_of
from agents.models import ModelProfile
from agents.models.agent import RULES
from config.base import audit
from config.base.actor import Actor
from config.base.ids import uuid7


def check_connection(actor: Actor, profile: ModelProfile) -> Probe:
    """One tiny prompt to this model alone, once: no retries, no fallbacks. Takes up to 30 s."""
    if profile.model != RULES:
        _warm_up()
    result = probe(client_of([_impatient(profile)]))
    with transaction.atomic():
        audit.record(
            "model_profile.tested",
            audit.Outcome.SUCCEEDED if result.ok else audit.Outcome.FAILED,
            actor=actor,
            target=("modelprofile", profile.pk),
            reason_code=result.error.code if result.error else "",
            metadata={"duration_ms": result.total_ms, "calls_tools": result.calls_tools},
        )
    return result


def duplicate_profile(actor: Actor, profile: ModelProfile) -> ModelProfile:
    """A copy under a name of its own, to be changed; nothing uses it yet."""
    copy = ModelProfile.objects.get(pk=profile.pk)
    with transaction.atomic():
        copy.pk = uuid7()
        copy.name = _free_name(profile.name)
        copy._state.adding = True
        copy.save(force_insert=True)
        audit.record(
            "config.changed",
            audit.Outcome.SUCCEEDED,
            actor=actor,
            target=("modelprofile", copy.pk),
            reason_code="duplicated",
            metadata={"fields": ["created"], "source": str(profile.pk)},
        )
    return copy


def _warm_up() -> None:
    from agents.model_clients.litellm_client import warm_up

    warm_up()


def _impatient(profile: ModelProfile) -> ModelProfile:
    """The profile as it is tested: an operator sits and waits. Not a row."""
    tested = ModelProfile.objects.get(pk=profile.pk)
    tested.retries = 0
    tested.timeout_seconds = min(tested.timeout_seconds, int(PROBE_SECONDS))
    return tested


def _free_name(name: str) -> str:
    taken = set(ModelProfile.objects.values_list("name", flat=True))
    number = 1
    while True:
        ending = _(" (copy)") if number == 1 else _(" (copy %(n)s)") % {"n": number}
        candidate = name[: 100 - len(ending)] + ending
        if candidate not in taken:
            return candidate
        number += 1
