"""`RulesClient`: the model that works offline, without weights, and the same every time.

Which calls it asks for follows from the user's last message alone (`plan`), or from what they
answered on a card instead of deciding it; from results it copies values into calls that the message
asked for, and shows the rest. What a page or a document says
is never parsed. So it can be trusted with hostile text, and tests can rely on it.
"""

import json
import re
from collections.abc import Iterator

from agents.model_clients.protocol import (
    ChatMessage,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ToolDefinition,
    ToolRequest,
    Usage,
)
from agents.model_clients.rules.answers import Voice, answers_in
from agents.model_clients.rules.plan import Plan, parse_plan
from agents.model_clients.rules.scene import Call, Scene
from agents.model_clients.rules.skills import has_to_be_followed, said_of_skill
from agents.model_clients.rules.steps import Diverged, perform, replay
from agents.model_clients.rules.steps_memories import with_confirmed_memories
from agents.model_clients.rules.text import without_no
from agents.model_clients.rules.turn import Turn, read_turn

_PIECE = re.compile(r".{1,24}(?:\s+|$)|.{1,24}", re.DOTALL)


class RulesClient:
    """A `ModelClient`. Holds no state: the prompt holds the whole turn."""

    def complete(self, request: ModelRequest) -> ModelReply:
        text, calls = _reply(request, read_turn(request))
        usage, unfollowed = _usage(request, text, calls), has_to_be_followed(request)
        return ModelReply(text, calls, usage, model="rules", unfollowed=unfollowed)

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        reply = self.complete(request)
        for piece in _PIECE.findall(reply.text):
            yield TextDelta(piece)
        yield reply


def _reply(request: ModelRequest, turn: Turn) -> tuple[str, tuple[ToolRequest, ...]]:
    turn, plan = _follow(turn, request)
    plan = with_confirmed_memories(plan, lambda tool_type: _has(tool_type, request))
    voice = Voice(plan.chinese)
    if said := said_of_skill(request, voice):
        return said, ()
    if not plan.intents:
        return voice.say("skill_unfollowed" if has_to_be_followed(request) else "help"), ()
    may_begin = not turn.rounds and (request.tools or not turn.call_count)
    if may_begin and (refusal := _missing_tool(plan, request.tools, voice)):
        return refusal, ()
    return _continue(request, turn, plan, voice)


def _follow(turn: Turn, request: ModelRequest) -> tuple[Turn, Plan]:
    """An answer to a card is the person's own words: it counts as a new message, if understood."""

    def parse(message: str) -> Plan:
        are_off = not request.tools and not turn.call_count  # then that is what is said
        return parse_plan(
            message, language=request.language, has=lambda kind: are_off or _has(kind, request)
        )

    for index in reversed(range(len(turn.rounds))):
        for words in answers_in(turn.rounds[index]):
            message = without_no(words)
            plan = parse(message)
            if plan.intents:
                return Turn(message, turn.rounds[index + 1 :], turn.call_count), plan
    return turn, parse(turn.message)


def _continue(
    request: ModelRequest, turn: Turn, plan: Plan, voice: Voice
) -> tuple[str, tuple[ToolRequest, ...]]:
    said: list[str] = []
    try:
        calls = replay(perform(plan, Scene(voice, request.time_zone), said), turn.rounds)
    except Diverged:
        return "\n\n".join([*said, voice.say("lost")]), ()
    if calls is None:
        return "\n\n".join(said), ()
    names = [_tool_name(call.type, request.tools) for call in calls]
    if not all(names):  # the loop took the tools away: its limit is reached
        return "\n\n".join([*said, voice.say("limit")]), ()
    return "", tuple(
        _tool_request(turn.call_count + number, name, call)
        for number, (name, call) in enumerate(zip(names, calls, strict=True), start=1)
    )


def _tool_request(number: int, name: str, call: Call) -> ToolRequest:
    raw = json.dumps(call.arguments, ensure_ascii=False)
    return ToolRequest(f"call_{number}", name, call.arguments, raw)


def _missing_tool(plan: Plan, tools: tuple[ToolDefinition, ...], voice: Voice) -> str:
    """Why the plan can't be performed, or ""; said before its first call, not half-way."""
    needed = [tool_type for intent in plan.intents for tool_type in intent.needs]
    if needed and not tools:
        return voice.say("tools_off")
    for tool_type in needed:
        if not _tool_name(tool_type, tools):
            return voice.say("no_tool", type=tool_type)
    return ""


def _tool_name(tool_type: str, tools: tuple[ToolDefinition, ...]) -> str:
    """The slug to call. Over HTTP the type is not sent: there a name that equals it counts."""
    for tool in tools:
        if (tool.type or tool.name) == tool_type:
            return tool.name
    return ""


def _has(tool_type: str, request: ModelRequest) -> bool:
    """Also when the loop has taken the tools away: what was called in this turn was there."""
    if request.tools:
        return bool(_tool_name(tool_type, request.tools))
    return any(call.name == tool_type for one in request.messages for call in one.tool_calls)


def _usage(request: ModelRequest, text: str, calls: tuple[ToolRequest, ...]) -> Usage:
    """Roughly four characters a token; free of charge."""
    asked = sum(_length(message) for message in request.messages)
    answered = len(text) + sum(len(call.raw_arguments) for call in calls)
    return Usage(asked // 4, answered // 4, 0.0)


def _length(message: ChatMessage) -> int:
    return len(message.content) + sum(len(call.raw_arguments) for call in message.tool_calls)
