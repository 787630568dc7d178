"""What can go wrong with a secret. No message holds a value."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import Conflict, InvalidInput, NotFound, NotPermitted


class InvalidSecret(InvalidInput):
    """Its `details["fields"]` maps `name`, `value`, `note` or `allowed_hosts` to what is wrong."""

    default_message = _("The secret can't be kept like this.")
    code = "invalid_secret"


class SecretNameTaken(Conflict):
    default_message = _("Another secret has this name.")
    code = "secret_name_taken"


class SecretInUse(Conflict):
    default_message = _("The secret is in use.")
    code = "secret_in_use"


class SecretUnknown(NotFound):
    default_message = _("There is no secret of this name.")
    code = "secret_unknown"


class SecretHostRefused(NotPermitted):
    default_message = _("The secret is not meant for this host.")
    code = "secret_host_not_allowed"


class SecretNeedsHttps(NotPermitted):
    default_message = _("The secret is sent over https only.")
    code = "secret_needs_https"


class SecretKeyMissing(Conflict):
    default_message = _("The key that sealed this secret is not there.")
    code = "secret_key_missing"


class SecretUnreadable(Conflict):
    default_message = _("The secret was changed or damaged where it is kept.")
    code = "secret_unreadable"


# What a call with a secret may come to.
CODES = (
    "secret_unknown, secret_host_not_allowed, secret_needs_https, secret_key_missing, "
    "secret_unreadable"
)
