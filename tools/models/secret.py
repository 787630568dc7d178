"""A secret of the operator: a key or password that calls may carry and nobody may read."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.secrets.refs import NAME


class Secret(models.Model):
    """Its value is opened in `tools.secrets.use`, for a call, and nowhere else."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(
        _("name"),
        max_length=50,
        unique=True,
        validators=[
            RegexValidator(
                NAME.replace("$", r"\Z"), _("Use a–z, 0–9, - and _ only, a letter or digit first.")
            )
        ],
        help_text=_("By which settings name it; it can't be changed."),
    )
    sealed = models.TextField(_("sealed value"), editable=False)
    key_id = models.CharField(_("sealed with"), max_length=16, editable=False)
    note = models.CharField(
        _("note"), max_length=500, blank=True, help_text=_("For operators, such as whose it is.")
    )
    allowed_hosts = models.JSONField(
        _("allowed hosts"),
        default=list,
        help_text=_(
            "The only hosts that it is sent to: api.example.com, or *.example.com for subdomains."
        ),
    )
    allow_http = models.BooleanField(
        _("also over http"),
        default=False,
        help_text=_("Unencrypted, so that everybody on the way can read it."),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)

    class Meta:
        verbose_name = _("secret")
        verbose_name_plural = _("secrets")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
