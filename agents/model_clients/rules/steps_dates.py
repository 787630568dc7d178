"""Sums, times and dates: the calls, and the sentence made of what they bring."""

from datetime import date, datetime

from agents.model_clients.rules.intents import (
    AddToDate,
    Calculate,
    Convert,
    DateOf,
    DaysBetween,
    IsoWeek,
    Now,
    Weekday,
)
from agents.model_clients.rules.phrases import is_iso_date, local_datetime
from agents.model_clients.rules.scene import Call, Done, Scene, Steps, Stop, ask, ask_all
from agents.model_clients.rules.turn import Outcome
from agents.model_clients.rules.zones import find_zone


def calculate(intent: Calculate, scene: Scene) -> Steps[Done]:
    outcome = yield from ask(scene, Call("calculator", {"expression": intent.expression}))
    text = scene.voice.say("sum", shown=intent.shown, result=_result(scene, outcome))
    return Done(text, text)


def now(intent: Now, scene: Scene) -> Steps[Done]:
    zone = _zone(scene, intent.place)
    outcome = yield from ask(scene, _datetime("now", tz=zone))
    moment = _moment(_result(scene, outcome))
    if moment is None:
        return _said(_result(scene, outcome))
    place = scene.voice.say("in_place", place=intent.place) if intent.place else ""
    return _said(
        scene.voice.say(
            f"now_{intent.wants}",
            time=f"{moment:%H:%M}",
            date=scene.voice.date(moment.date()),
            place=place,
            zone=zone,
        )
    )


def date_of(intent: DateOf, scene: Scene) -> Steps[Done]:
    outcome = yield from ask(scene, _parse(intent.phrase, scene.time_zone))
    return _said(_dated(scene, intent.phrase, _result(scene, outcome)))


def weekday(intent: Weekday, scene: Scene) -> Steps[Done]:
    outcome = yield from ask(scene, _datetime("weekday", date=intent.date))
    day = _moment(intent.date)
    name = scene.voice.weekday(day.weekday()) if day else _result(scene, outcome)
    return _said(scene.voice.say("weekday", date=intent.date, weekday=name))


def add_to_date(intent: AddToDate, scene: Scene) -> Steps[Done]:
    arguments = {"date": intent.date, intent.unit: intent.amount}
    outcome = yield from ask(scene, _datetime("add_calendar", **arguments))
    shown = f"{intent.date} {intent.amount:+d} {scene.voice.say(intent.unit)}"
    return _said(_dated(scene, shown, _result(scene, outcome)))


def iso_week(intent: IsoWeek, scene: Scene) -> Steps[Done]:
    day = intent.phrase
    if not day:
        day = _result(scene, (yield from ask(scene, _parse("today", scene.time_zone))))[:10]
    outcome = yield from ask(scene, _datetime("iso_week", date=day))
    shown = intent.phrase or scene.voice.say("today")
    return _said(scene.voice.say("iso_week", date=shown, week=_result(scene, outcome)))


def days_between(intent: DaysBetween, scene: Scene) -> Steps[Done]:
    """Dates go as they are; a phrase ("today") is parsed first and its date copied."""
    ends = [intent.first, intent.last]
    phrases = [end for end in ends if not is_iso_date(end)]
    if phrases:
        calls = tuple(_parse(phrase, scene.time_zone) for phrase in phrases)
        outcomes = yield from ask_all(scene, calls)
        found = dict(
            zip(phrases, (_result(scene, outcome)[:10] for outcome in outcomes), strict=True)
        )
        ends = [found.get(end, end) for end in ends]
    outcome = yield from ask(scene, _datetime("days_between", **{"from": ends[0], "to": ends[1]}))
    days = _result(scene, outcome)
    return _said(scene.voice.say("days_between", first=ends[0], last=ends[1], days=days))


def convert(intent: Convert, scene: Scene) -> Steps[Done]:
    from_zone, to_zone = _zone(scene, intent.from_place), _zone(scene, intent.to_place)
    when = local_datetime(intent.when)
    if not when:
        parsed = yield from ask(scene, _parse(intent.when, from_zone))
        when = _result(scene, parsed)[:19]
    if "T" not in when:
        raise Stop(scene.voice.say("no_time_of_day"))
    arguments = {"datetime": when, "from": from_zone, "to": to_zone}
    outcome = yield from ask(scene, _datetime("convert", **arguments))
    first, last = _moment(when), _moment(_result(scene, outcome))
    return _said(
        scene.voice.say(
            "converted",
            first=scene.voice.moment(first) if first else when,
            last=scene.voice.moment(last) if last else _result(scene, outcome),
            from_zone=from_zone,
            to_zone=to_zone,
        )
    )


def _zone(scene: Scene, place: str) -> str:
    if not place:
        return scene.time_zone
    zone = find_zone(place)
    if zone is None:
        raise Stop(scene.voice.say("unknown_place", place=place))
    return zone


def _datetime(operation: str, **arguments: object) -> Call:
    return Call("datetime", {"operation": operation, **arguments})


def _parse(phrase: str, zone: str) -> Call:
    return _datetime("parse", text=phrase, tz=zone)


def _result(scene: Scene, outcome: Outcome) -> str:
    result = outcome.data.get("result")
    if result in (None, ""):
        raise Stop(scene.voice.say("missing_value", name="result"))
    return str(result)


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _dated(scene: Scene, phrase: str, result: str) -> str:
    moment = _moment(result)
    if moment is None:
        shown = result
    elif "T" in result:
        shown = scene.voice.moment(moment)
    else:
        shown = scene.voice.date(date.fromisoformat(result))
    return scene.voice.say("date_of", phrase=phrase, date=shown)


def _said(text: str) -> Done:
    return Done(text, text)
