"""API tokens: stored hashed, shown once, revocable, expiring, limited to scopes."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7


class Scope(models.TextChoices):
    AGENT = "agent", _("talk to agents")
    ACTIONS_CONFIRM = "actions:confirm", _("confirm actions")
    DOCUMENTS_READ = "documents:read", _("read documents")
    DOCUMENTS_WRITE = "documents:write", _("write documents")
    TOOLS_READ = "tools:read", _("see tools")
    TOOLS_EXECUTE = "tools:execute", _("execute tools")
    TOOLS_MANAGE = "tools:manage", _("manage tools")
    JOBS = "jobs", _("background jobs")
    SKILLS = "skills", _("skills, their permissions and reminders")
    KNOWLEDGE = "knowledge", _("knowledge: spaces and their files")
    # A name that clients can rely on already; nothing asks for it yet.
    WORK = "work", _("work data (later)")


def default_scopes() -> list[str]:
    """All but confirming: a program that talks to an agent must not approve what it does."""
    return [scope.value for scope in Scope if scope is not Scope.ACTIONS_CONFIRM]


class TokenQuerySet(models.QuerySet["ApiToken"]):
    def usable(self) -> "TokenQuerySet":
        """Neither revoked nor expired, of a user who may sign in; by the database's clock."""
        return self.filter(
            Q(expires_at=None) | Q(expires_at__gt=Now()), revoked_at=None, user__is_active=True
        )


class ApiToken(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="api_tokens",
        verbose_name=_("user"),
    )
    name = models.CharField(_("name"), max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(_("ends in"), max_length=4, editable=False)
    scopes = models.JSONField(_("scopes"), default=default_scopes)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)

    objects = TokenQuerySet.as_manager()

    class Meta:
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} (…{self.hint})"

    @property
    def scope_labels(self) -> list[str]:
        return [str(Scope(scope).label) for scope in self.scopes if scope in Scope.values]
