"""Zones from the pinned `tzdata` alone, and local times that exist exactly once.

The system's own zone files are not used: they differ from machine to machine and offer names
(`localtime`, `right/…`) that are no IANA zones.
"""

import datetime as dt
import difflib
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from tools.errors import fail

_NO_PLACE = frozenset({"Factory"})  # tzdata's stand-in for "not configured"


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    names = files("tzdata").joinpath("zones").read_text("utf-8").split()
    return frozenset(names) - _NO_PLACE


@lru_cache(maxsize=1_000)
def get_zone(name: str) -> ZoneInfo:
    """Raises `ToolFailure` with code zone. The name is checked before any file is opened."""
    if name not in zone_names():
        fail("zone", _unknown(name))
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, key=name)


def _unknown(name: str) -> str:
    message = _("%(name)s is not an IANA zone.") % {"name": repr(name[:60])}
    folded = {known.casefold(): known for known in zone_names()}
    near = difflib.get_close_matches(name[:60].strip().casefold(), folded, n=1, cutoff=0.85)
    if near:
        return message + " " + _("Did you mean %(near)s?") % {"near": folded[near[0]]}
    return message + " " + _("Write it like Asia/Shanghai, America/New_York or UTC.")


def in_zone(moment: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """The same instant there. Raises `ToolFailure` with code range at the ends of the calendar."""
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError):
        fail("range", _("The result is outside the years 1 to 9999."))


def resolve_local(local: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    """The one instant at which clocks there show `local` (naive).

    Raises `ToolFailure`: gap when clocks skip it, ambiguous when they show it twice; `choices`
    holds the two instants that may be meant.
    """
    readings = [local.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    back = [in_zone(in_zone(reading, dt.UTC), zone) for reading in readings]
    choices = [moment.isoformat() for moment in sorted(back)]
    fits = [moment.replace(tzinfo=None) == local for moment in back]
    words = {"local": local.isoformat(), "zone": str(zone)}
    words |= {"first": choices[0], "second": choices[1]}
    if not any(fits):
        fail(
            "gap",
            _(
                "%(local)s does not exist in %(zone)s: clocks go forward then. Near it are "
                "%(first)s and %(second)s."
            )
            % words,
            choices=choices,
        )
    if all(fits) and back[0].utcoffset() != back[1].utcoffset():
        fail(
            "ambiguous",
            _(
                "%(local)s happens twice in %(zone)s: %(first)s and %(second)s. Give "
                "the one you mean with its offset."
            )
            % words,
            choices=choices,
        )
    return back[fits.index(True)]
