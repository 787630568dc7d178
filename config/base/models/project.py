"""Projects and who belongs to them in which role."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7


class Project(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(_("slug"), max_length=50, unique=True)
    name = models.CharField(_("name"), max_length=100)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("project")
        verbose_name_plural = _("projects")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    EMPLOYEE = "employee", _("employee")
    SUPERVISOR = "supervisor", _("supervisor")
    CANDIDATE = "candidate", _("candidate")


class Membership(models.Model):
    """Staff need none: they act as `operator`, never as somebody."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="memberships",
        verbose_name=_("user"),
    )
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("project")
    )
    role = models.CharField(_("role"), max_length=20, choices=Role)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(fields=["user", "project"], name="one_membership_per_project")
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.project} · {self.get_role_display()}"
