"""The installed skills as their manifests describe them: all of them, and one by one; read-only."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from skills.definitions import BackgroundSkill, Skill, ToolSkill, WorkflowSkill
from skills.manifests import Manifest, Matchers
from skills.registry import find_skill, list_skills, list_versions
from skills.usage import Usage, usage_of
from tools.registry import find_tool_type

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin

_LANGUAGES = {"en": "English", "zh-hans": "简体中文"}


def skills_page(admin: "ReadOnlyAdmin", request: HttpRequest) -> HttpResponse:
    if not admin.has_view_permission(request):
        raise PermissionDenied
    installed = list(_installed())
    usages = usage_of([skill.manifest for skill in installed])
    rows = [_row(*one) for one in zip(installed, usages, strict=True)]
    context = {"title": _("Installed skills"), "rows": rows}
    return _page(admin, request, "admin/skills/manifests.html", context)


def skill_page(
    admin: "ReadOnlyAdmin", request: HttpRequest, skill_id: str, version: str
) -> HttpResponse:
    if not admin.has_view_permission(request):
        raise PermissionDenied
    skill = find_skill(skill_id, version)
    if skill is None:
        raise Http404
    [usage] = usage_of([skill.manifest])
    manifest = skill.manifest
    others = [one for one in list_versions(skill_id) if one != version]
    context = {
        "title": manifest.name,
        **_row(skill, usage),
        "facts": list(_facts(skill, usage)),
        "others": [(one, skill_link(skill_id, one)) for one in others],
        "steps": skill.steps if isinstance(skill, WorkflowSkill) else (),
        "cases": len(skill.cases),
        "runs": reverse("admin:skills_skillrun_changelist", query={"q": skill_id}),
        "evaluations": reverse("admin:skills_skillevaluation_changelist", query={"q": skill_id}),
    }
    return _page(admin, request, "admin/skills/manifest.html", context)


def skill_link(skill_id: str, version: str) -> str:
    return reverse("admin:skills_permissiongrant_manifest", args=[skill_id, version])


def _installed() -> Iterator[Skill]:
    """By id, of each the newest version first."""
    for newest in list_skills():
        skill_id = newest.manifest.skill_id
        found = (find_skill(skill_id, version) for version in list_versions(skill_id))
        yield from (skill for skill in found if skill is not None)


def _row(skill: Skill, usage: Usage) -> dict[str, Any]:
    manifest = skill.manifest
    return {
        "manifest": manifest,
        "link": skill_link(manifest.skill_id, manifest.version),
        "usage": usage,
        "permissions": _permissions(manifest, usage),
        "matchers": list(_matchers(manifest.matchers)),
        "tools": [_tool(tool_id) for tool_id in sorted(skill.tool_ids)],
        "limits": list(_limits(skill)),
    }


def _permissions(manifest: Manifest, usage: Usage) -> list[dict[str, Any]]:
    return [
        {
            "requirement": one,
            "people": usage.granted[one.code],
            "grants": reverse("admin:skills_permissiongrant_changelist", query={"q": one.code}),
        }
        for one in manifest.permissions
    ]


def _matchers(matchers: Matchers) -> Iterator[dict[str, Any]]:
    """The commands, then what is kept by language."""
    if matchers.explicit:
        yield {"kind": _("commands"), "language": _("any language"), "words": matchers.explicit}
    for kind, by_language in ((_("phrases"), matchers.phrases), (_("patterns"), matchers.patterns)):
        for language, words in by_language.items():
            yield {"kind": kind, "language": _LANGUAGES.get(language, language), "words": words}


def _tool(tool_id: str) -> tuple[str, str]:
    """Its name and where it is described."""
    known = find_tool_type(tool_id) is not None
    return tool_id, reverse("admin:tools_tool_type", args=[tool_id]) if known else ""


def _limits(skill: Skill) -> Iterator[str]:
    if isinstance(skill, ToolSkill):
        yield _("time limit: %(n)s ms") % {"n": skill.timeout_ms}
        yield _("calls per turn: %(n)s") % {"n": skill.max_calls_per_turn}
    if isinstance(skill, BackgroundSkill):
        yield _("attempts: %(n)s") % {"n": skill.max_attempts}


def _facts(skill: Skill, usage: Usage) -> Iterator[tuple[str, Any]]:
    manifest = skill.manifest
    yield _("Kind"), manifest.kind.label
    yield _("For"), manifest.scope.label
    yield _("Without a switch"), _("on") if manifest.enabled else _("off")
    yield _("People"), _people(usage)
    if limits := list(_limits(skill)):
        yield _("Limits"), "; ".join(limits)


def _people(usage: Usage) -> str:
    said = _("on for %(on)s, off for %(off)s") % {"on": usage.on, "off": usage.off}
    if not usage.exceptions:
        return said
    return said + _("; %(n)s differ for single agents") % {"n": usage.exceptions}


def _page(
    admin: "ReadOnlyAdmin", request: HttpRequest, template: str, context: dict[str, Any]
) -> HttpResponse:
    base = {**admin.admin_site.each_context(request), "opts": admin.opts}
    return TemplateResponse(request, template, {**base, **context})
