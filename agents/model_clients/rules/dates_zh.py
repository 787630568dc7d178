"""How Chinese asks for times, dates and sums."""

from agents.model_clients.rules import building as build
from agents.model_clients.rules.grammar import Rule, rule

_DATE = r"(?P<date>\d{4}(?:-\d{1,2}-\d{1,2}|/\d{1,2}/\d{1,2}|年\d{1,2}月\d{1,2}[日号]))"
_DAY = r"(?:几月几号|几月几日|几号|几日|哪一天|哪天|星期几|周几|礼拜几|什么日期|什么日子|多少号)"
_CLOCK = r"(?:几点钟?了?|什么时间|时间是多少|时间)"
_PLACE = r"[^\d，,。]{1,12}?"

DATES: tuple[Rule, ...] = (
    rule(rf"(?:现在|目前|当前|此刻)?(?:是)?{_CLOCK}", build.time_now),
    rule(
        rf"(?P<place>{_PLACE})(?:那边|当地)?(?:的)?(?:现在|目前|当前|此刻)(?:的)?(?:当地)?(?:是)?"
        rf"{_CLOCK}",
        build.time_now,
    ),
    rule(
        rf"(?:现在|目前|当前|此刻) ?(?P<place>{_PLACE})(?:那边|当地|时间)?(?:的)?(?:是)?{_CLOCK}",
        build.time_now,
    ),
    rule(rf"(?P<place>{_PLACE})(?:那边|当地|时间)?(?:的)?(?:是)?{_CLOCK}", build.time_now_if_place),
    rule(
        rf"(?:今天|今日|现在)?(?:的)?(?:是)?(?:{_DAY}|日期|日期是什么|日期是多少)", build.date_now
    ),
    rule(rf"(?:今天|现在) ?(?P<place>{_PLACE})(?:是)?{_DAY}", build.date_now_if_place),
    rule(rf"(?P<place>{_PLACE})(?:今天|现在)(?:是)?{_DAY}", build.date_now_if_place),
    rule(rf"{_DATE} ?(?:那天|那一天)?(?:是)?(?:星期几|周几|礼拜几)", build.weekday),
    rule(
        rf"{_DATE} ?(?:的|往|再)?(?:过|加)? ?(?P<amount>\d{{1,5}}) ?(?:个)?(?P<unit>天|周|星期|月"
        rf"|年)"
        rf"(?P<way>之后|以后|后|之前|以前|前)(?:是)?(?:{_DAY})?",
        build.add_to_date,
    ),
    rule(
        rf"{_DATE} ?(?P<way>之后|以后|后|之前|以前|前)(?:的)? ?(?P<amount>\d{{1,5}}) ?(?:个)?"
        rf"(?P<unit>天|周|星期|月|年)(?:是)?(?:{_DAY})?",
        build.add_to_date,
    ),
    rule(rf"(?P<phrase>.+?)(?:的日期)?(?:是|为)? ?{_DAY}", build.date_of),
    rule(
        rf"(?:{_DATE}|今天|本周|现在|这周)? ?(?:是)?(?:今年|一年中|全年|一年)?(?:的)?第几(?:周"
        rf"|个?星期)",
        build.iso_week,
    ),
    rule(
        r"(?:距离?|离) ?(?P<last>.+?) ?(?:还有|还剩|还要|有|剩)?(?:多少|几)天",
        build.days_until,
    ),
    rule(
        r"(?:从|自)? ?(?P<first>.+?) ?(?:到|至|和|与|跟) ?(?P<last>.+?) ?(?:之间|期间)?"
        r"(?:一共|总共|相差|相隔|间隔|还有|有|隔|差|是)*(?:多少|几)天",
        build.days_between,
    ),
    rule(r"到 ?(?P<last>.+?) ?(?:还有|还剩|有)?(?:多少|几)天", build.days_until),
)

_WHEN = r"(?:[\d\s:/年月日号点分时半刻零一二三四五六七八九十两上下午早晚凌晨中今明后天-])+?"
CONVERTING: tuple[Rule, ...] = (
    rule(
        rf"(?:把|将)? ?(?P<when>{_WHEN}) ?从 ?(?P<from>{_PLACE})(?:时间)?(?:转换|换算|转|换)?"
        rf"(?:到|成|为|至) ?"
        rf"(?P<to>{_PLACE})(?:时间)?",
        build.convert,
    ),
    rule(
        rf"(?:把|将)? ?(?P<from>{_PLACE})(?:时间)?(?:的)? ?(?P<when>{_WHEN}) ?(?:转换|换算|转|换)"
        rf"(?:成|为|到) ?"
        rf"(?P<to>{_PLACE})(?:时间)?",
        build.convert_if_places,
    ),
    rule(
        rf"(?P<from>{_PLACE})(?:时间)?(?:的)? ?(?P<when>{_WHEN}) ?(?:是|等于|对应|在) ?(?P<to>"
        rf"{_PLACE})(?:时间)?"
        r"(?:的)?(?:是)?(?:几点钟?|什么时间|什么时候|多少)",
        build.convert_if_places,
    ),
)

SUMS: tuple[Rule, ...] = (
    rule(
        r"(?:计算一下|计算|算一下|算算|算|求)? ?[:：]? ?(?P<sum>.+?) ?(?:等于|是|得)?(?:多少|几)?",
        build.calculate,
    ),
)
