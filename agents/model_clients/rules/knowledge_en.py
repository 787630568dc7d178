"""What English questions to the knowledge look like, and requests for its files.

Each names where it is to be looked: a question that doesn't is never taken for one.
"""

from agents.model_clients.rules import building as build
from agents.model_clients.rules.grammar import Rule, rule

_SHELF = (
    r"(?:knowledge(?:[ -]?bases?| spaces?)?|handbooks?|manuals?|guidelines|polic(?:y|ies)"
    r"|regulations|wiki|faq)"
)
_QUESTION = (
    r"(?P<query>(?:what|how|when|who|whom|where|which|why|may|can|must|is|are|do|does)\b.+?)"
)
_KNOWLEDGE = (
    rf"(?:(?:the|our|your|my|all) )?(?:[\w'’-]+ ){{0,3}}?{_SHELF}(?: (?:documents?|files?))?"
)
_FILES = rf"(?:(?:the|our|all|any) )?(?:files|documents|docs|sources) (?:in|of|from) {_KNOWLEDGE}"
_WHERE = rf"(?:{_FILES}|{_KNOWLEDGE})"
_WHO_SAYS = rf"(?:{_WHERE}|(?:the|our) (?:files|documents))"
_SAY = r"(?:says?|states?|have to say|has to say|tells? (?:us|me)|writes?)"
_ABOUT = r"(?:about|on|regarding|concerning)"
_NOT_OWN = r"(?!(?:(?:for|in|through) )?(?:all )?(?:of )?my )"

ASKING: tuple[Rule, ...] = (
    rule(
        r"what (?:do|does) (?:the |our )?file (?P<file>[^\n]{1,120}?) say "
        rf"{_ABOUT} (?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:tell me )?what (?:do |does |did )?{_WHO_SAYS} {_SAY} {_ABOUT} (?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:do|does) {_WHO_SAYS} (?:say|contain|mention|have) (?:(?:anything|something) )?"
        rf"(?:{_ABOUT} )?(?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:what(?:'s| is)?|is there (?:anything|something)) (?:(?:written|said|there) )?in "
        rf"{_WHERE} {_ABOUT} (?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:according to|as per|based on|going by) {_WHO_SAYS}(?: ?[,:] ?| )(?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"{_QUESTION} ?,? (?:according to|as per|based on) {_WHO_SAYS}",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:search|check|consult|query|ask|look in|look into|look through)(?: in| through)? "
        rf"{_WHERE}(?: (?:for|about|on) | ?: ?)(?P<query>.+)",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:(?:search|check|consult|ask) {_WHERE}|in {_WHERE} ?,) {_QUESTION}",
        build.ask_knowledge,
    ),
    rule(
        rf"tell me about (?P<query>.+?) (?:from|according to) {_WHERE}",
        build.ask_knowledge,
    ),
    rule(
        rf"(?:look up|look for|find|find out|search for|search|check) {_NOT_OWN}(?P<query>.+?) "
        rf"(?:in|from) {_WHERE}",
        build.ask_knowledge,
    ),
)

_FILE = r"(?:files?|pdf|attachment|original|slides|spreadsheet|presentation)"
_SEND = (
    r"(?:(?:send|give|forward|hand|get) me|let me have|(?:can|could|may) i (?:have|get)"
    r"|i need|download)"
)
_BEFORE = (
    r"(?: again| from (?:before|earlier|above|just now)"
    r"|(?: that| which)?(?: you| we)(?: have)?(?: just)? (?:mentioned|cited|quoted|found|used"
    r"|talked about|showed me)(?: before| earlier| above)?)"
)

SENDING: tuple[Rule, ...] = (
    rule(
        rf"(?:{_SEND} )?(?:(?:a copy of )?(?:the|that|this)(?: same)?) {_FILE}{_BEFORE}+",
        build.send_earlier_file,
    ),
    rule(rf"{_SEND} (?:the|that|this)(?: same)? {_FILE}", build.send_earlier_file),
    rule(
        r"where (?:can|could|do|may) (?:i|we) (?:download|get|find) (?:the|that|this)(?: same)? "
        rf"{_FILE}{_BEFORE}*",
        build.send_earlier_file,
    ),
    rule(
        rf"{_SEND} (?:a copy of )?(?:the |a )?{_FILE}(?: (?:called|named|titled|about|on|for))? "
        r"(?P<words>.+)",
        build.send_file,
    ),
    rule(
        rf"{_SEND} (?:a copy of )?(?:the |our )?(?P<words>.+?) {_FILE}",
        build.send_file,
    ),
    rule(
        r"(?:send me|let me have|download) (?:a copy of )?(?:the |our )"
        rf"(?P<words>(?:[\w'’-]+ ){{0,4}}?{_SHELF})",
        build.send_file,
    ),
    rule(
        rf"where (?:can|could|do|may) (?:i|we) (?:download|get|find) (?:the |our |a )?{_FILE}"
        r"(?: (?:called|named|titled|about|on|for))? (?P<words>.+)",
        build.send_file,
    ),
    rule(
        r"where (?:can|could|do|may) (?:i|we) (?:get|find) (?:the |our |a )?"
        rf"(?P<words>.+?) {_FILE}",
        build.send_file,
    ),
    rule(
        r"where (?:can|could|do|may) (?:i|we) download (?:the |our |a )?(?P<words>.+)",
        build.send_file,
    ),
    rule(
        r"(?:what(?:'s| is) )?(?:the |a )?download (?:link|address) (?:for|of|to) (?:the |our )?"
        rf"(?:{_FILE} )?(?P<words>.+)",
        build.send_file,
    ),
)
