from django.utils.translation import gettext_lazy as _

from config.base.errors import Conflict, GatehouseError


class NoWebhook(Conflict):
    default_message = _("This rule has no webhook.")
    code = "alert_without_webhook"


class WebhookFailed(GatehouseError):
    default_message = _("The webhook did not take the alert.")
    code = "webhook_failed"
    http_status = 502
    retryable = True
