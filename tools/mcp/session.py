"""Speaking with one server for one call: which revision it has is found out first.

2026-07-28: each request stands alone and carries its version. Before it: `initialize`, often with
a session; one that the server has forgotten is begun anew, once.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from config.base.hidden import visible
from config.base.outbound.deadline import Deadline
from tools.mcp.endpoint import Endpoint
from tools.mcp.errors import InputRequired, McpError, McpUnauthorized
from tools.mcp.links import Link, link_key, links
from tools.mcp.messages import notification, request
from tools.mcp.param_headers import header_value
from tools.mcp.transport import Answer, Transport
from tools.schemas import JSON

MODERN = "2026-07-28"
# By `initialize`; all speak the same transport. The first is what we ask for.
BY_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
UNSUPPORTED_VERSION = -32022
MAX_MESSAGE = 500
_CLIENT = {"name": "Gatehouse", "version": "1"}
_META = "io.modelcontextprotocol"
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,512}")


class Session:
    """Raises `OutboundError`, `McpError` and what opening a secret raises."""

    def __init__(self, endpoint: Endpoint, deadline: Deadline) -> None:
        headers = endpoint.opened_headers()
        self.key = link_key(endpoint.url, headers)
        self.size_bytes = 0  # of the answers so far
        self._transport = Transport(endpoint, headers, deadline)

    def request(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        modern_headers: Mapping[str, str] | None = None,
        max_bytes: int | None = None,
    ) -> JSON:
        """The result. `modern_headers` are those that only 2026-07-28 knows."""
        given = dict(params or {})

        def send(link: Link) -> Answer:
            more = dict(headers or {})
            if link.version == MODERN:
                more |= modern_headers or {}
            return self._send(link, method, given, more, max_bytes)

        link = self.link()
        answer = send(link)
        if answer.status == 404 and link.session_id:
            # The server has ended the session, and did nothing of what it was asked.
            links.drop(self.key)
            answer = send(self.link())
        try:
            return _result_of(answer)
        except McpError:
            links.drop(self.key)  # whatever it was, the next call looks anew
            raise

    def link(self) -> Link:
        link = links.get(self.key)
        if link is None:
            link = self._discover() or self._initialize()
            links.put(self.key, link)
        return link

    def _send(
        self,
        link: Link,
        method: str,
        params: JSON,
        headers: Mapping[str, str],
        max_bytes: int | None = None,
    ) -> Answer:
        if link.version == MODERN:
            message = request(method, {**params, "_meta": {**params.get("_meta", {}), **_meta()}})
            sent = {**headers, **_modern_headers(method, params)}
            answer = self._transport.send(message, sent, max_bytes=max_bytes)
        else:
            sent = {**headers, **_session_headers(link)}
            answer = self._transport.send_and_be_asked(
                request(method, params), sent, max_bytes=max_bytes
            )
        self.size_bytes += answer.size_bytes
        return answer

    def _discover(self) -> Link | None:
        """None: it knows no revision that goes without `initialize`."""
        answer = self._send(Link(version=MODERN), "server/discover", {}, {})
        _refuse_unauthorized(answer)
        result = (answer.message or {}).get("result")
        if isinstance(result, dict):
            versions, meta = result.get("supportedVersions"), result.get("_meta")
            name = _name_in(meta.get(f"{_META}/serverInfo")) if isinstance(meta, dict) else ""
        else:
            versions, name = _supported_by(answer.message), ""
        if not isinstance(versions, list):
            return None
        if MODERN in versions:
            return Link(version=MODERN, server_name=name)
        if not set(BY_HANDSHAKE) & {one for one in versions if isinstance(one, str)}:
            raise _no_version_in_common(versions)
        return None

    def _initialize(self) -> Link:
        asked = {"protocolVersion": BY_HANDSHAKE[0], "capabilities": {}, "clientInfo": _CLIENT}
        answer = self._transport.send(request("initialize", asked), {})
        result = _result_of(answer)
        version = result.get("protocolVersion")
        if version not in BY_HANDSHAKE:
            raise _no_version_in_common([version])
        if answer.session_id and not _SESSION_ID.fullmatch(answer.session_id):
            raise McpError(_("The MCP server gives a session id that can't be sent back."))
        name = _name_in(result.get("serverInfo"))
        link = Link(version=version, session_id=answer.session_id, server_name=name)
        told = self._transport.send(
            notification("notifications/initialized"), _session_headers(link)
        )
        if told.status >= 400:
            raise _status_error(told.status)
        return link


def _meta() -> JSON:
    return {
        f"{_META}/protocolVersion": MODERN,
        f"{_META}/clientInfo": _CLIENT,
        f"{_META}/clientCapabilities": {},
    }


def _modern_headers(method: str, params: JSON) -> dict[str, str]:
    named = {"mcp-name": header_value(params["name"])} if method == "tools/call" else {}
    return {"mcp-protocol-version": MODERN, "mcp-method": method, **named}


def _session_headers(link: Link) -> dict[str, str]:
    session = {"mcp-session-id": link.session_id} if link.session_id else {}
    return {"mcp-protocol-version": link.version, **session}


def _supported_by(message: JSON | None) -> Any:
    """What a server lists that refuses the version that it was asked in."""
    error = (message or {}).get("error")
    if not isinstance(error, dict) or error.get("code") != UNSUPPORTED_VERSION:
        return None
    data = error.get("data")
    return data.get("supported") if isinstance(data, dict) else None


def _name_in(info: Any) -> str:
    name = info.get("name") if isinstance(info, dict) else None
    return visible(name, 50).strip() if isinstance(name, str) else ""


def _result_of(answer: Answer) -> JSON:
    _refuse_unauthorized(answer)
    if answer.message is None:
        raise _status_error(answer.status) if answer.status >= 400 else _no_answer()
    if "error" in answer.message:
        raise _rpc_error(answer.message["error"])
    result = answer.message["result"]
    if not isinstance(result, dict):
        raise McpError(_("The MCP server's result is no object."), request_sent=True)
    kind = result.get("resultType", "complete")
    if kind == "input_required":
        raise InputRequired
    if kind != "complete":
        raise McpError(_("The MCP server's result is of a kind that was not asked for."))
    return result


def _refuse_unauthorized(answer: Answer) -> None:
    if answer.status in (401, 403):
        raise McpUnauthorized


def _rpc_error(error: Any) -> McpError:
    """With its words, which are the server's: cut, and without what nobody sees."""
    told = error if isinstance(error, dict) else {}
    code, said = told.get("code"), told.get("message")
    number = code if isinstance(code, int) else 0
    text = visible(said, MAX_MESSAGE) if isinstance(said, str) else ""
    message = _("The MCP server answered with error %(code)s: %(text)s")
    return McpError(message % {"code": number, "text": text})


def _status_error(status: int) -> McpError:
    """After an error of its own (5xx) nobody knows what it did before."""
    message = _("The MCP server answered with status %(status)s.") % {"status": status}
    return McpError(message, request_sent=status >= 500)


def _no_answer() -> McpError:
    return McpError(_("The MCP server gave no answer to the request."), request_sent=True)


def _no_version_in_common(versions: list[Any]) -> McpError:
    named = ", ".join(visible(str(one), 20) for one in versions[:5])
    message = _("The MCP server speaks none of our versions of the protocol: %(named)s.")
    return McpError(message % {"named": named})
