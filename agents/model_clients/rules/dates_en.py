"""How English asks for times, dates and sums."""

from agents.model_clients.rules import building as build
from agents.model_clients.rules.grammar import Rule, rule

_DATE = r"(?P<date>\d{4}-\d{1,2}-\d{1,2})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_PLACE = r"[^\d?]+?"

DATES: tuple[Rule, ...] = (
    rule(
        r"(?:what(?:'s| is)?|tell me|give me|show me)? ?(?:the )?(?:current |local |exact )?time"
        r"(?: is it| it is)?"
        rf"(?: now| right now)?(?: (?:in|at|on) (?P<place>{_PLACE}))?(?: now| right now|"
        rf" currently)?",
        build.time_now,
    ),
    rule(rf"what time do (?:we|they) have in (?P<place>{_PLACE})", build.time_now),
    rule(
        r"(?:what(?:'s| is)?|which|tell me|give me)? ?(?:the )?(?:current |today's )?(?:date|day)"
        r"(?: of the (?:week|month))?(?: is| is it| it is)?(?: today| now| right now)?"
        rf"(?: (?:in|at) (?P<place>{_PLACE}))?(?: now| right now)?",
        build.date_now,
    ),
    rule(r"what(?:'s| is) today(?:'s (?:date|day))?|today's date", build.date_now),
    rule(
        r"(?:what|which)(?:'s| is)? (?:day|weekday|day of the week)(?: of the week)? "
        rf"(?:is|was|will|does)(?: it)?(?: be)?(?: on)? {_DATE}(?: be| fall on)?",
        build.weekday,
    ),
    rule(
        r"(?:what|which)(?:'s| is)?(?: the)? (?:date|day|weekday|day of the week) "
        rf"(?:is |was |will it be |will |would it be )?(?:it )?(?:be )?(?:on )?(?:in )?"
        rf"(?P<amount>\d{{1,5}}) {_UNIT} "
        rf"(?P<way>after|before|from) {_DATE}",
        build.add_to_date,
    ),
    rule(
        rf"(?:what is )?{_DATE} (?P<way>plus|minus) (?P<amount>\d{{1,5}}) {_UNIT}",
        build.add_to_date,
    ),
    rule(
        r"(?:what|which)(?:'s| is)?(?: the)? (?:date|day|weekday|day of the week)(?: of the week)? "
        r"(?:(?:is|was|will|would)(?: it)?(?: be)?)?(?: ?on)? ?(?P<phrase>.+?)(?: be| fall on)?",
        build.date_of,
    ),
    rule(r"(?:what(?:'s| is)|when(?:'s| is| was| will be)) (?P<phrase>.+)", build.date_of),
    rule(
        r"(?:how many days|(?:what is )?the number of days|days)(?: are)?(?: there)?(?: is it)? "
        r"(?:between|from) (?P<first>.+?) (?:and|to|until|till) (?P<last>.+)",
        build.days_between,
    ),
    rule(
        r"how (?:many days|long)(?: is it| are there| are left| remain| left)?(?: there)? "
        r"(?:until|till|to|before) "
        r"(?P<last>.+)",
        build.days_until,
    ),
    rule(
        r"how many days (?:is it |have passed |has it been |passed )?since (?P<first>.+)",
        build.days_since,
    ),
    rule(
        rf"(?:what|which)(?:'s| is)?(?: the)?(?: iso| calendar)? week(?: number)?(?: is| is it|"
        rf" of the year)*"
        rf"(?: (?:this|now|today))?(?: ?(?:on|of|is|for)? {_DATE})?",
        build.iso_week,
    ),
)

CONVERTING: tuple[Rule, ...] = (
    rule(
        r"convert (?P<when>.+?) ?(?:from|in) (?P<from>[^\d]+?)(?: time)? (?:to|into|in) "
        r"(?P<to>[^\d]+)",
        build.convert,
    ),
    rule(r"convert (?P<when>\S*\d.*?)(?P<from>) (?:to|into) (?P<to>[^\d]+)", build.convert),
    rule(
        r"(?:what(?:'s| is|(?: time)? is| time will) )?(?P<when>[^a-z]*\d[\d:\s-]*"
        r"(?:[ap]\.?m\.?)?)(?: in)? "
        r"(?P<from>[a-z/_\s]+?)(?: time)? (?:in|to) (?P<to>[a-z/_\s]+?)(?: time)?",
        build.convert_if_places,
    ),
    rule(
        r"what time (?:is it|will it be) in (?P<to>[^\d]+?) (?:when|if|at) (?:it is |it's )?"
        r"(?P<when>.+?) in "
        r"(?P<from>[^\d]+)",
        build.convert,
    ),
)

SUMS: tuple[Rule, ...] = (
    rule(
        r"(?:(?:what(?:'s| is| are| does)|how much(?: is| are| does)?|tell me|calculate|compute"
        r"|evaluate|"
        r"work out|solve|calc|do the math for)(?: me)?:? )?(?:the )?(?:value of |result of |sum )?"
        r"(?P<sum>.+?)(?: (?:equals?|make|makes|come to))?",
        build.calculate,
    ),
)
