"""What goes wrong between us and an MCP server. `request_sent` means as in `outbound.errors`."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import Conflict, InvalidInput
from config.base.outbound.errors import OutboundError


class McpError(OutboundError):
    default_message = _("The MCP server did not keep to the protocol.")
    code = "mcp_error"


class McpUnauthorized(McpError):
    default_message = _("The MCP server wants other credentials than it was given.")
    code = "mcp_unauthorized"


class InputRequired(McpError):
    default_message = _(
        "The MCP server wants to ask back (sampling, elicitation or roots), which is not supported."
    )
    code = "mcp_input_required"


class AnswerTooLarge(McpError):
    default_message = _("The MCP server's answer is larger than allowed (max_response_bytes).")
    code = "response_too_large"


class ToolGone(McpError):
    default_message = _("The MCP server does not offer this tool any more. Ask an operator.")
    for_operator = _(
        "The MCP server does not offer this tool any more. Switch it off, or delete it."
    )
    code = "mcp_tool_gone"


class ToolUnknown(InvalidInput):
    """Its `details["tools"]` lists the names."""

    default_message = _("The MCP server does not offer such a tool.")
    code = "mcp_tool_unknown"


class DescriptorInvalid(InvalidInput):
    default_message = _("What the MCP server says of this tool can't be used.")
    code = "descriptor_invalid"


class DescriptorMovedOn(Conflict):
    default_message = _("What the MCP server offers is no longer what you saw; look again.")
    code = "descriptor_moved_on"
