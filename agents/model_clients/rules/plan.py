"""From the user's message to a plan: at most three intents, in the order they were said.

The message is read from left to right. The first part that is not understood ends the plan: what
stands after it may be pasted text, and is never taken for a request. Text that the user wants kept
(`remember …`, `create … with the content …`) runs to the end of the message for the same reason.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from agents.model_clients.rules import intents_en, intents_zh, knowledge_en, knowledge_zh
from agents.model_clients.rules.grammar import MAX_CLAUSE, Rule, apply_free, apply_rules
from agents.model_clients.rules.intents import Intent
from agents.model_clients.rules.steps_knowledge import RESOURCE, SEARCH
from agents.model_clients.rules.text import clean_url, has_chinese, quoted_spans

MAX_INTENTS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    intents: tuple[Intent, ...]
    not_understood: str = ""
    chinese: bool = False


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language: its rules, where clauses end, and the filler before and after a request."""

    free: tuple[Rule, ...]  # these take the rest of the message
    rules: tuple[Rule, ...]
    separator: re.Pattern[str]
    lead: Callable[[str], str]
    tail: Callable[[str], str]
    url: re.Pattern[str]
    asking: tuple[Rule, ...]  # for agents that have these tools; they come before the others
    sending: tuple[Rule, ...]
    chinese: bool = False

    def of(self, has: Callable[[str], bool]) -> "Grammar":
        asking = self.asking if has(SEARCH) else ()
        sending = self.sending if has(RESOURCE) else ()
        return replace(self, rules=(*asking, *sending, *self.rules))


ENGLISH = Grammar(
    intents_en.FREE,
    intents_en.RULES,
    intents_en.SEPARATOR,
    intents_en.without_lead,
    intents_en.without_tail,
    intents_en.URL_,
    knowledge_en.ASKING,
    knowledge_en.SENDING,
)
CHINESE = Grammar(
    intents_zh.FREE,
    intents_zh.RULES,
    intents_zh.SEPARATOR,
    intents_zh.without_lead,
    intents_zh.without_tail,
    intents_zh.URL_,
    knowledge_zh.ASKING,
    knowledge_zh.SENDING,
    chinese=True,
)


def parse_plan(
    message: str, *, language: str = "en", has: Callable[[str], bool] = lambda _tool_type: False
) -> Plan:
    """`language` decides only how a message without words ("2+2") is answered.

    `has` says whether the agent has tools of a type: without those of the knowledge, no message
    is a question to it.
    """
    in_chinese = has_chinese(message)
    english, chinese = ENGLISH.of(has), CHINESE.of(has)
    first, second = (chinese, english) if in_chinese else (english, chinese)
    plan = _parse(message, first)
    if not plan.intents and in_chinese:
        plan = _parse(message, second)
    if not plan.intents:
        return Plan((), message.strip(), chinese=in_chinese)
    if not re.search(r"[^\W\d_]", message):
        return Plan(plan.intents, plan.not_understood, language.lower().startswith("zh"))
    return plan


def _parse(message: str, grammar: Grammar) -> Plan:
    found: list[Intent] = []
    rest = message.strip()
    while rest and len(found) < MAX_INTENTS:
        intents, after = _next(rest, grammar)
        if not intents:
            break
        found += intents
        rest = after
    return Plan(
        tuple(found[:MAX_INTENTS]), grammar.tail(grammar.lead(rest[:MAX_CLAUSE])), grammar.chinese
    )


def _next(text: str, grammar: Grammar) -> tuple[tuple[Intent, ...], str]:
    """The intents of the first clause and what stands after it; none when not understood."""
    text = grammar.lead(text)
    if intents := apply_free(grammar.free, text):
        return intents, ""
    for end, begin in _clause_ends(text, grammar):
        if end > MAX_CLAUSE:
            break
        if intents := apply_rules(grammar.rules, grammar.tail(text[:end])):
            return intents, text[begin:]
    return (), text


def _clause_ends(text: str, grammar: Grammar) -> Iterable[tuple[int, int]]:
    """Where the first clause may end, nearest first; never inside quotes or an address."""
    whole, text = text, text[: 2 * MAX_CLAUSE]
    urls = grammar.url.finditer(text)
    kept = quoted_spans(text) + [(m.start(), m.start() + len(clean_url(m.group()))) for m in urls]
    for match in grammar.separator.finditer(text):
        if match.start() > 0 and not any(a <= match.start() < b for a, b in kept):
            yield match.span()
    yield len(whole), len(whole)
