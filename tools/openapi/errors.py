"""What can be wrong with a document, and with one of its operations."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import InvalidInput


class DocumentInvalid(InvalidInput):
    default_message = _("This is no OpenAPI document.")
    code = "openapi_invalid"


class DocumentTooLarge(InvalidInput):
    default_message = _("The OpenAPI document is too large.")
    code = "openapi_too_large"


class VersionUnsupported(InvalidInput):
    default_message = _("Only OpenAPI 3 documents can be imported.")
    code = "openapi_version"


class DocumentNotFetched(InvalidInput):
    default_message = _("The OpenAPI document could not be fetched.")
    code = "openapi_not_fetched"


class ChoiceInvalid(InvalidInput):
    """Its `details["operations"]` maps an operation to why it can't be imported."""

    default_message = _("Some of the chosen operations can't be imported; nothing was changed.")
    code = "openapi_not_importable"


class SchemeUnknown(ChoiceInvalid):
    """Its `details["secrets"]` maps each unknown scheme to what is wrong."""

    default_message = _("Secrets are given for security schemes that the document does not have.")
    code = "security_scheme_unknown"


class OperationUnusable(Exception):
    """Why one operation can't become a tool; the others still can."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)
