"""The operator's pages: title and side bar of the admin (django-unfold)."""

from typing import Any

from django.templatetags.static import static
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _


def _operator_page(title: Any, icon: str, model: str) -> dict[str, Any]:
    app, name = model.split("_")
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "permission": lambda request: request.user.has_perm(f"{app}.view_{name}"),
    }


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Gatehouse",
    "SITE_HEADER": "Gatehouse",
    "SITE_SUBHEADER": _("Operator console"),
    "SITE_SYMBOL": "shield_lock",
    "SHOW_VIEW_ON_SITE": False,
    "LOGIN": {"form": "config.base.sign_in.ConsoleSignInForm"},
    # The accent of our own pages, from light to dark.
    "COLORS": {
        "primary": {
            "50": "#eef8f5",
            "100": "#d7eee8",
            "200": "#b1ddd3",
            "300": "#82c7b9",
            "400": "#4fb8a6",
            "500": "#2ba68f",
            "600": "#0b6b5f",
            "700": "#08544a",
            "800": "#07443d",
            "900": "#063832",
            "950": "#03211d",
        }
    },
    "ENVIRONMENT": None,
    "DASHBOARD_CALLBACK": "config.dashboard.page.add_dashboard",
    "STYLES": [lambda _request: static("gatehouse/admin/console.css")],
    "SCRIPTS": [
        lambda _request: static("gatehouse/admin/labels.js"),
        lambda _request: static("gatehouse/admin/working.js"),
        lambda _request: static("gatehouse/admin/parts.js"),
    ],
    "SIDEBAR": {
        "show_search": True,
        "navigation": [
            {
                "title": _("People and access"),
                "items": [
                    _operator_page(_("Users"), "person", "base_user"),
                    _operator_page(_("Projects"), "workspaces", "base_project"),
                    _operator_page(_("Memberships"), "badge", "base_membership"),
                    _operator_page(_("API tokens"), "key", "base_apitoken"),
                    _operator_page(_("Groups"), "group", "auth_group"),
                ],
            },
            {
                "title": _("Tools"),
                "items": [
                    _operator_page(_("Tools"), "build", "tools_tool"),
                    {
                        "title": _("Types of tools"),
                        "icon": "menu_book",
                        "link": reverse_lazy("admin:tools_tool_types"),
                        "permission": lambda request: request.user.has_perm("tools.view_tool"),
                    },
                    _operator_page(_("Tool calls"), "list_alt", "tools_toolcall"),
                    _operator_page(_("Action drafts"), "rule", "tools_actiondraft"),
                    _operator_page(
                        _("Standing approvals"), "verified_user", "tools_standingapproval"
                    ),
                    _operator_page(_("Secrets"), "encrypted", "tools_secret"),
                    _operator_page(_("Usage by day"), "bar_chart", "tools_userday"),
                    _operator_page(_("Budgets of users"), "savings", "tools_userbudget"),
                ],
            },
            {
                "title": _("Agents"),
                "items": [
                    _operator_page(_("Agents"), "smart_toy", "agents_agent"),
                    _operator_page(_("Model profiles"), "model_training", "agents_modelprofile"),
                    _operator_page(_("Runs"), "play_circle", "agents_run"),
                    _operator_page(_("Conversations"), "forum", "agents_conversation"),
                    _operator_page(_("Messages"), "chat_bubble", "agents_message"),
                    _operator_page(_("Memories"), "psychology", "agents_memory"),
                    _operator_page(_("Consents"), "outbound", "agents_consent"),
                ],
            },
            {
                "title": _("Documents"),
                "items": [
                    _operator_page(_("Documents"), "description", "documents_document"),
                    _operator_page(_("Versions"), "history", "documents_documentversion"),
                    _operator_page(
                        _("Knowledge spaces"), "library_books", "documents_knowledgespace"
                    ),
                    _operator_page(_("Members of spaces"), "group_add", "documents_spacemember"),
                    _operator_page(_("Files"), "folder_open", "documents_resource"),
                    _operator_page(_("Shares"), "share", "documents_documentshare"),
                ],
            },
            {
                "title": _("Jobs"),
                "items": [
                    _operator_page(_("Jobs"), "work_history", "jobs_job"),
                    _operator_page(_("Series of jobs"), "event_repeat", "jobs_jobseries"),
                    {
                        "title": _("Kinds of jobs"),
                        "icon": "category",
                        "link": reverse_lazy("admin:jobs_job_kinds"),
                        "permission": lambda request: request.user.has_perm("jobs.view_job"),
                    },
                    _operator_page(_("Workers"), "memory", "jobs_workerbeat"),
                ],
            },
            {
                "title": _("Skills"),
                "items": [
                    {
                        "title": _("Installed skills"),
                        "icon": "extension",
                        "link": reverse_lazy("admin:skills_permissiongrant_installed"),
                        "permission": lambda request: request.user.has_perm(
                            "skills.view_permissiongrant"
                        ),
                    },
                    _operator_page(_("Permission grants"), "key", "skills_permissiongrant"),
                    _operator_page(_("Skill switches"), "toggle_on", "skills_skillbinding"),
                    _operator_page(_("Skill runs"), "bolt", "skills_skillrun"),
                    _operator_page(_("Skill jobs"), "alarm", "skills_skilljob"),
                    _operator_page(_("Workflow sessions"), "checklist", "skills_workflowsession"),
                    _operator_page(_("Skill evaluations"), "fact_check", "skills_skillevaluation"),
                ],
            },
            {
                "title": _("Audit"),
                "items": [
                    _operator_page(_("Audit events"), "receipt_long", "skills_auditevent"),
                    _operator_page(_("Audit seals"), "verified", "skills_auditseal"),
                    _operator_page(_("Alert rules"), "notification_important", "skills_alertrule"),
                    _operator_page(_("Alerts"), "notifications", "skills_alert"),
                ],
            },
        ],
    },
}
