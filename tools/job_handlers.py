import logging
import time
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from config.base.errors import GatehouseError
from jobs.enums import CreateBy
from jobs.handlers import Handler, JobCall, NoPayload, Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register
from tools.mcp.changes import disable_changed
from tools.mcp.checking import Change, find_changes, list_servers
from tools.services import purge_old_content

log = logging.getLogger(__name__)

CHECK_SECONDS = 200.0  # then the next time goes on


@register
class CallContent(Housekeeping):
    kind = "housekeeping.call_content"
    description = _("Throws away the content of old tool calls; the calls themselves stay.")
    recurrence = Recurrence("17 * * * *")
    purges = {"calls": purge_old_content}


@dataclass(slots=True)
class Looked:
    servers: int = 0
    unreachable: int = 0
    left: int = 0
    changes: list[Change] = field(default_factory=list)


@register
class McpServers(Handler[NoPayload]):
    kind = "tools.check_mcp_servers"
    description = _(
        "Looks whether MCP servers still describe their tools as agreed; switches off those that "
        "they do not."
    )
    recurrence = Recurrence("23 * * * *")
    create_by = CreateBy.OPERATORS
    hard_limit_seconds = CHECK_SECONDS + 60

    def prepare(self, call: JobCall[NoPayload]) -> Looked:
        looked = Looked()
        until = time.monotonic() + CHECK_SECONDS
        for server in list_servers():
            call.check()
            if time.monotonic() > until:
                looked.left += 1
                continue
            try:
                looked.changes += find_changes(server)
                looked.servers += 1
            except GatehouseError as error:
                log.info("an MCP server could not be looked at: %s", error.code)
                looked.unreachable += 1
        return looked

    def apply(self, call: JobCall[NoPayload], prepared: Looked) -> JsonValue:
        switched_off = [
            disable_changed(one.tool_id, one.seen, pinned_hash=one.pinned_hash)
            for one in prepared.changes
        ]
        return {
            "servers": prepared.servers,
            "unreachable": prepared.unreachable,
            "left": prepared.left,
            "switched_off": sum(switched_off),
        }
