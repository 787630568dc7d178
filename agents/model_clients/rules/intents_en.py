"""What English requests look like. Patterns match whole clauses; a space is any white space."""

import re

from agents.model_clients.rules import building as build
from agents.model_clients.rules.dates_en import CONVERTING, DATES, SUMS
from agents.model_clients.rules.grammar import Rule, rule
from agents.model_clients.rules.text import URL

URL_ = re.compile(URL)
_VERBS = (
    "fetch|get|download|open|visit|save|store|keep|put|write|delete|remove|erase|create|make|add|"
    "append|replace|update|rename|list|show|display|read|search|find|look|calculate|compute|work|"
    "what|what's|how|when|which|where|who|remember|recall|tell|summari[sz]e|explain|describe|"
    "convert|do|don't|forget|give|note|change|set|"
    "email|e-mail|send|mail|post|share|translate|print|compare|count|check|run|buy|book|call"
    "|publish|"
    "upload|move|copy|use|let|turn|if|unless"
)
_ABBREVIATED = "".join(
    rf"(?<!\b{word})" for word in ("Dr", "Mr", "Ms", "Mrs", "St", "vs", "No", "p.m", "a.m")
)
SEPARATOR = re.compile(
    rf"(?<!\s)[^\S\n]*+(?:{_ABBREVIATED}[.!?;]++(?=\s)|\n)\s*+"
    r"|(?<!\s)(?:\s*+,\s*+|\s++)(?:and|then|after\s+that|afterwards|also)"
    rf"(?:\s+(?:then|also|after\s+that|afterwards|finally))?,?\s+(?=(?:please\s+)?(?:{_VERBS})\b)"
    rf"|(?<!\s)\s*+,\s*+(?=(?:please\s+)?(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\s|[,.!;:]|(?:hi|hello|hey|ok|okay|well|please|kindly|and|then|also|now|next(?=,)"
    r"|finally|first|"
    r"after that|afterwards|thanks|(?:can|could|would|will) (?:you|we)|i (?:want|need) you to|"
    r"i(?:'d| would) like you to|i (?:want|need) to|i(?:'d| would) like to|let's|go ahead and)"
    r"(?![\w']))+",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s|[,.?;:]|(?<!\d)!|\b(?:please|for me|thanks|thank you|right now|would you|will you))+$",
    re.IGNORECASE,
)

_KIND = r"(?P<kind>memory documents?|documents?|docs?|notes?|files?|pages?|memory|memories)"
_ONE = rf"(?:(?:a|an|the|my|this|that|another) )?(?:new )?{_KIND}"
_CALLED = r"(?:called|named|titled|entitled|with (?:the |a )?(?:title|name)(?: of)?)"
_IT = (
    r"(?:it|this|that|them|its (?:content|text)s?|everything|(?:what (?:it|that) says)|"
    r"the (?:page|contents?|text|result|results|answer|article|response|output|site|website))"
)
_THE_URL = (
    r"(?:(?:the |this |that )?(?:web ?)?(?:page|site|website|url|link|contents?|text|address"
    r"|article)?"
    rf" ?(?:of|at|from|on)? ?)??(?P<url>{URL})"
)
_BARE_URL = (
    r"(?P<url>(?:localhost|(?:[a-z0-9-]+\.)+[a-z]{2,}|\d+(?:\.\d+){3})(?::\d+)?(?:[/?]\S*)?)"
)
_CREATE = r"(?:create|make|write|add|start|save|store|put|draft)(?: me)?"
_WITH = (
    r",? ?(?:and )?(?:(?:with|having|that has)(?: the)?(?: following)? (?:contents?|text|body)(?:"
    r" of| being)?"
    r"|(?:whose|the) (?:content|text) is|containing|saying|(?:that|which) says"
    r"|with(?= [\"“']))(?: ?:)? "
)
_TELL = (
    r"(?:tell me|show me|show|explain|describe|summari[sz]e|sum up|read|give me|translate|print|"
    r"display)"
)

# What is to be kept runs to the end of the message.
FREE: tuple[Rule, ...] = (
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?){_WITH}(?:the )?(?:contents?|text) "
        rf"(?:of|from"
        rf"|at) {_THE_URL}",
        build.fetch_and_save,
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?) (?:from|out of|with|using|of) "
        rf"{_THE_URL}",
        build.fetch_and_save,
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?) (?:with|from|out of|containing"
        rf"|using) {_IT}",
        build.save,
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?){_WITH}(?P<text>.+)", build.create_free
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>[^:]{{1,255}}):(?!//) ?(?P<text>.+)",
        build.create_free,
    ),
    rule(
        r"(?:append|add)(?: the following| this)? to (?:the |my )?"
        rf"{_KIND}(?: {_CALLED})? (?P<title>[^:]{{1,255}}):(?!//) ?(?P<text>.+)",
        build.append_free,
    ),
    rule(
        r"(?:replace|change|update|set|overwrite) (?:(?:the )?(?:contents?|text|body) (?:of|in) )?"
        rf"(?:the |my )?{_KIND}(?: {_CALLED})? (?P<title>.{{1,255}}?)(?: (?:with|to)(?: ?:)? |: ?)"
        r"(?:the (?:content|text) )?(?P<text>.+)",
        build.replace_free,
    ),
    rule(
        r"(?:remember|keep in mind|(?:don't|do not) forget|memori[sz]e|note down|write down|note|"
        r"(?:make|take|save) a note|(?:save|create|add) a memory)\b"
        r"(?: that\b| to\b| this\b)? ?:? ?(?P<text>.+)",
        build.remember,
    ),
)

_FETCHING: tuple[Rule, ...] = (
    rule(
        rf"(?:save|store|keep|put)(?: me)? {_THE_URL}(?: (?:as|in|to|into|under) {_ONE})?"
        rf"(?: (?:{_CALLED}|as|under(?: the name)?) (?P<title>.+))?",
        build.fetch_and_save,
    ),
    rule(
        r"(?:fetch|get|download|open|load|read|visit|retrieve|grab|check|look at|go to|browse(?:"
        r" to)?|"
        rf"show|show me|curl|access|pull|view|display)(?: me)?(?: up)? ?{_THE_URL}",
        build.fetch,
    ),
    rule(rf"(?:fetch|download|visit|browse(?: to)?|retrieve|curl) {_BARE_URL}", build.fetch),
    rule(rf"(?P<url>{URL})", build.fetch),
    rule(
        rf"(?:{_TELL}|what(?:'s| is| does| do))(?: about| what(?: is|'s)?)?(?: me)?"
        rf"(?: (?:a|the) summary of)? {_THE_URL}(?: (?:says?|contains?|is about|about|tells? us))?",
        build.fetch_and_explain,
    ),
    rule(
        rf"{_TELL}(?: me)?(?: about)?(?: (?:a|the) (?:short |brief )?summary(?: of)?)? ?"
        rf"(?:{_IT}|what (?:it|the (?:page|site|article)) (?:says|contains|is about)|what(?:'s|"
        rf" is) (?:in|on) it"
        r"|the (?:main|key) points)?(?: (?:to me|to us|aloud|out loud))?",
        build.explain,
    ),
    rule(r"what (?:does it say|is it about|does the page say)", build.explain),
)

_SAVING: tuple[Rule, ...] = (
    rule(
        rf"(?:save|store|keep|put|write|record|file) (?:{_IT} )?(?:as|in|to|into) {_ONE}"
        rf"(?:(?: |: ?)(?:{_CALLED} |as )?(?P<title>.+))?",
        build.save,
    ),
    rule(
        rf"(?:save|store|keep|put|write|record|file|remember) {_IT} "
        r"(?:as|under|under the name|with the title)(?: of)? (?P<title>.+)",
        build.save,
    ),
    rule(rf"(?:save|store|keep) {_IT}", build.save),
    rule(
        r"(?:save|store|write|put|keep) (?P<text>[\"“'].+[\"”']) (?:as|in|to|into) "
        rf"{_ONE} {_CALLED} (?P<title>.+)",
        build.create,
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?) (?:with|from|out of|containing"
        rf"|using) {_IT}",
        build.save,
    ),
    rule(
        rf"{_CREATE} {_ONE} {_CALLED} (?P<title>.{{1,255}}?){_WITH}(?P<text>[\"“'].+)", build.create
    ),
    rule(rf"{_CREATE} {_ONE}(?: {_CALLED} (?P<title>.+))?", build.create_without_content),
)

_DOCUMENTS: tuple[Rule, ...] = (
    rule(
        r"(?:list|show|show me|display|give me|what are|see|view|get)(?: all)?(?: of)?(?: my| the)?"
        rf" {_KIND}(?: (?:i have|i've got|i saved|you have))?(?:,? page (?P<page>\d{{1,4}}))?",
        build.list_documents,
    ),
    rule(
        rf"(?:list|show|show me) page (?P<page>\d{{1,4}}) of (?:my|the) {_KIND}",
        build.list_documents,
    ),
    rule(
        rf"(?:what|which|how many) {_KIND} (?:do i have|have i got|are there|do you have|did i"
        rf" save)",
        build.list_documents,
    ),
    rule(
        r"list (?:everything|all|documents and memories|memories and documents)",
        build.list_everything,
    ),
    rule(
        r"(?:search|look|query)(?: for)?(?: in| through| inside)?(?: all)?(?: of)?(?: my| the)? "
        rf"{_KIND} (?:for|about|containing|mentioning|with|on|matching) (?P<query>.+)",
        build.search,
    ),
    rule(
        rf"(?:find|show me|list|search|which)(?: for)?(?: all| any)?(?: my| the| of my)? {_KIND} "
        r"(?:about|containing|mentioning|on|matching|that mention|mention|contain|that contain) "
        r"(?P<query>.+)",
        build.search,
    ),
    rule(
        rf"(?:search for|search|find|look for|look up) (?P<query>.+?) in (?:all )?(?:my |the )?"
        rf"{_KIND}",
        build.search,
    ),
    rule(
        rf"(?:find|search for|look for) (?:the |my |a )?{_KIND}(?: {_CALLED})? (?P<query>.+)",
        build.search,
    ),
    rule(r"(?:search for|find|look for) (?P<query>[\"“'].+)", build.search),
    rule(
        r"(?:delete|remove|erase|clear|get rid of) (?:all|every|everything|each)(?: .*)?",
        build.say("one_at_a_time"),
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away|discard) (?:(?:the|my|this|that) )?"
        rf"{_KIND}(?: (?:{_CALLED}|with (?:the )?id|:))? (?P<title>.+)",
        build.delete,
    ),
    rule(
        r"(?:delete|remove|erase|trash|get rid of|throw away|discard) (?:(?P<article>the|my|this"
        r"|that|a) )?"
        rf"{_KIND}",
        build.which_to_delete,
    ),
    rule(
        r"(?:delete|remove|erase) (?:the |my )?(?P<title>.{1,255}?) (?P<kind>document|doc|memory"
        r"|note"
        r"|file)",
        build.delete,
    ),
    rule(
        r"(?:delete|remove|erase|trash) (?P<title>[\"“'].+|#?[0-9a-f]{8}(?:-[0-9a-f-]{27})?)",
        build.delete,
    ),
    rule(r"forget (?:about |that |the memory )?(?:called )?(?P<text>.+)", build.forget),
    rule(
        r"(?:read|open|show|show me|display|view|print|get|give me)(?: me)?(?: out)? (?:(?:the"
        r"|my) )?"
        rf"{_KIND}(?: (?:{_CALLED}|with (?:the )?id|:))? (?P<title>.+)",
        build.read,
    ),
    rule(
        rf"what(?:'s| is| does) (?:(?:written |stored )?in )?(?:the |my ){_KIND}(?: {_CALLED})? "
        rf"(?P<title>.{{1,255}}?)"
        r"(?: says?| contains?)?",
        build.read,
    ),
    rule(
        r"(?:read|open|show me|display|view) (?:the |my )?(?P<title>.{1,255}?) (?P<kind>document"
        r"|doc"
        r"|memory|note|file)",
        build.read,
    ),
    rule(r"(?:read|open|show me) (?P<title>[\"“'].+)", build.read),
    rule(
        rf"{_TELL}(?: me)?(?: about)? (?:the |my ){_KIND}(?: {_CALLED})? (?P<title>.+)",
        build.read_and_explain,
    ),
    rule(
        rf"(?:append|add) {_IT} to (?:the |my )?{_KIND}(?: {_CALLED})? (?P<title>.+)",
        build.change_it(append=True),
    ),
    rule(
        r"(?:replace|change|update|set|overwrite) (?:(?:the )?(?:contents?|text|body) (?:of|in) )?"
        rf"(?:the |my )?{_KIND}(?: {_CALLED})? (?P<title>.{{1,255}}?) (?:with|to) {_IT}",
        build.change_it(append=False),
    ),
    rule(
        r"(?:replace|change|update|set|overwrite) (?:(?:the )?(?:contents?|text|body) (?:of|in) )?"
        rf"(?:the |my )?{_KIND}(?: {_CALLED})? (?P<title>.{{1,255}}?) (?:with|to) "
        rf"(?P<text>[\"“'].+)",
        build.replace,
    ),
    rule(
        r"(?:append|add)(?: the (?:text|line|words|sentence))? (?P<text>.+) to (?:the end of )?"
        r"(?:the |my )?"
        rf"{_KIND}(?: {_CALLED})? (?P<title>.+)",
        build.append,
    ),
    rule(
        rf"(?:rename|retitle) (?:the |my )?{_KIND}(?: {_CALLED})? (?P<title>.+) (?:to|as|into) "
        rf"(?P<new>.+)",
        build.rename,
    ),
)

_ABOUT = r"(?P<topic>.+?)"
_RECALLING: tuple[Rule, ...] = (
    rule(
        r"(?:tell me )?(?:what|everything)(?: do| did| have)?(?: you| i)? "
        rf"(?:remember|remembered|know|tell you|told you)(?: about {_ABOUT})?",
        build.recall,
    ),
    rule(rf"do you (?:remember|know|recall) (?:anything )?about {_ABOUT}", build.recall),
    rule(
        rf"do you (?:remember|know|recall)(?: (?:what|who|where|when|which)(?:'s| is| was)?)? "
        rf"(?:my|our) {_ABOUT}"
        r"(?: (?:is|was|are))?",
        build.recall,
    ),
    rule(
        rf"(?:what|who|where|when|which|how old)(?:'s| is| are| was| were) (?:my|our) {_ABOUT}",
        build.recall,
    ),
    rule(rf"(?:where|when|what|who|which \w+) (?:do|did|am|was) i {_ABOUT}", build.recall),
    rule(rf"what (?:did i say|have i said) about {_ABOUT}", build.recall),
    rule(rf"recall(?: my)? {_ABOUT}", build.recall),
    rule(r"(?:what is in|what's in|check|look in) (?:your|my) memory", build.recall),
)

RULES: tuple[Rule, ...] = (
    rule(r"(?:do not|don't|never|you must not|you mustn't) (?!forget).+", build.say("left_alone")),
    rule(
        r"(?:what can you do|help|who are you|what are you|how do i connect.*)", build.say("help")
    ),
    *_FETCHING,
    *_SAVING,
    *CONVERTING,
    *DATES,
    *SUMS,
    *_DOCUMENTS,
    *_RECALLING,
    rule(r"delete (?:the |my )?(?P<title>[^\n]{1,80})", build.delete),
    rule(r"read (?:the |my )?(?P<title>[^\n]{1,80})", build.read),
)


def without_lead(text: str) -> str:
    match = _BEFORE.match(text)
    return text[match.end() :] if match else text.strip()


def without_tail(text: str) -> str:
    return _AFTER.sub("", text)
