"""The policy gate's judgement: pure, from what is required and what was given (seed 4)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from skills import registry
from skills.enums import ApprovalMode
from skills.given import Given, HeldGrant
from skills.manifests import Manifest, PermissionRequirement
from skills.versions import is_covered_by
from tools.enums import DecisionOutcome
from tools.telling import told

SKILLS_PAGE = "/skills/"

_ALLOW, _ASK, _DENY = (
    DecisionOutcome.ALLOW,
    DecisionOutcome.NEEDS_CONFIRMATION,
    DecisionOutcome.DENY,
)


def permission_anchor(manifest: Manifest, code: str) -> str:
    """Of its switch on the page of skills."""
    return f"permission-{manifest.skill_id}-{code.replace(':', '-')}"


def skill_address(manifest: Manifest) -> str:
    """Of its line there."""
    return f"{SKILLS_PAGE}#skill-{manifest.skill_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """What may be done, by which grants, or what is missing. `reason` is for people."""

    outcome: DecisionOutcome
    reason_code: str
    reason: str
    grants: tuple[HeldGrant, ...] = ()
    missing: tuple[str, ...] = ()  # permission codes

    @property
    def allowed(self) -> bool:
        return self.outcome == _ALLOW

    @property
    def denied(self) -> bool:
        return self.outcome == _DENY


def decide_skill(manifest: Manifest, given: Given) -> PolicyDecision:
    """Whether a skill may act, by what its manifest requires."""
    if not given.is_enabled(manifest):
        said = told(
            _("The skill “%(skill)s” is switched off; switch it on under %(page)s."),
            _OFF_FOR_THEM,
            skill=manifest.name,
            page=skill_address(manifest),
        )
        return PolicyDecision(outcome=_DENY, reason_code="skill_disabled", reason=said)
    wanted = [one for one in manifest.permissions if one.approval == ApprovalMode.PERSISTENT]
    held = {one.code: covering_grant(manifest, one.code, given) for one in wanted}
    missing = [one for one in wanted if held[one.code] is None]
    if missing:
        return _missing([(manifest, one) for one in missing])
    grants = tuple(grant for grant in held.values() if grant)
    if any(one.approval == ApprovalMode.PER_OPERATION for one in manifest.permissions):
        return _asks_each_time(grants)
    return _allows(grants)


def decide_codes(codes: Iterable[str], given: Given) -> PolicyDecision:
    """Whether a call that is no skill's may run, by the permission codes of its tool.

    A grant for any skill that declares the code will do, unless that skill asks each time.
    """
    grants, missing, asks = [], [], False
    for code in codes:
        grant = _any_grant(code, given)
        if grant:
            grants.append(grant)
        elif _is_asked_each_time(code):
            asks = True
        else:
            missing.append(code)
    if missing:
        return _missing_codes(missing)
    return _asks_each_time(tuple(grants)) if asks else _allows(tuple(grants))


def covering_grant(manifest: Manifest, code: str, given: Given) -> HeldGrant | None:
    """The grant by which this version of the skill may use the permission."""
    fit = given.grants_of(code, manifest.skill_id)
    return next((one for one in fit if is_covered_by(manifest.version, one.version)), None)


def _any_grant(code: str, given: Given) -> HeldGrant | None:
    for skill, requirement in registry.declaring(code):
        if requirement.approval != ApprovalMode.PER_OPERATION:
            grant = covering_grant(skill.manifest, code, given)
            if grant:
                return grant
    return None


def _is_asked_each_time(code: str) -> bool:
    """Where no skill has anything to grant for it."""
    modes = {requirement.approval for _skill, requirement in registry.declaring(code)}
    return modes == {ApprovalMode.PER_OPERATION}


# --- In words ---

_OFF_FOR_THEM = gettext_lazy("The skill “%(skill)s” is switched off for %(person)s.")
_THEY_GRANTED = gettext_lazy("%(person)s has granted %(codes)s.")
_THEY_CONFIRM = gettext_lazy("%(person)s confirms this each time, whatever they have granted.")
_THEY_MISS = gettext_lazy("%(person)s has not granted the permission: %(permissions)s.")


def _allows(grants: tuple[HeldGrant, ...]) -> PolicyDecision:
    if not grants:
        reason = _("It needs no permission.")
        return PolicyDecision(outcome=_ALLOW, reason_code="no_permission_needed", reason=reason)
    codes = ", ".join(grant.code for grant in grants)
    reason = told(_("You have granted %(codes)s."), _THEY_GRANTED, codes=codes)
    return PolicyDecision(outcome=_ALLOW, reason_code="granted", reason=reason, grants=grants)


def _asks_each_time(grants: tuple[HeldGrant, ...]) -> PolicyDecision:
    reason = told(_("This is confirmed each time, whatever you have granted."), _THEY_CONFIRM)
    return PolicyDecision(outcome=_ASK, reason_code="per_operation", reason=reason, grants=grants)


def _missing(requirements: Sequence[tuple[Manifest, PermissionRequirement]]) -> PolicyDecision:
    wanted = {one.code: f"{one.label} ({one.code})" for _manifest, one in requirements}
    manifest, first = requirements[0]
    said = told(
        _("The permission is missing: %(permissions)s. Grant it under %(page)s."),
        _THEY_MISS,
        permissions=", ".join(wanted.values()),
        page=f"{SKILLS_PAGE}#{permission_anchor(manifest, first.code)}",
    )
    return PolicyDecision(
        outcome=_DENY, reason_code="permission_missing", reason=said, missing=tuple(wanted)
    )


def _missing_codes(codes: list[str]) -> PolicyDecision:
    known = {code: found[0] for code in codes if (found := registry.declaring(code))}
    if len(known) == len(codes):
        return _missing([(skill.manifest, one) for skill, one in known.values()])
    unknown = [code for code in codes if code not in known]
    reason = _("No skill here lets anybody grant the permission %(codes)s.")
    said = reason % {"codes": ", ".join(unknown)}
    return PolicyDecision(
        outcome=_DENY, reason_code="permission_unknown", reason=said, missing=tuple(codes)
    )
