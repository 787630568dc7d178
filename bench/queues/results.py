"""What the rounds come to: medians, ratios within a round, and the limits they are held to."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from bench.figures import Figure, median, p99
from bench.queues.session import Measured

type Results = Mapping[str, Sequence[Measured]]
type Rate = Callable[[Measured], float]

_LABELS = {
    "ours_orm": "ours, ORM broker",
    "ours_redis": "ours, Redis",
    "q2_orm": "raw django-q2, ORM broker",
    "q2_redis": "raw django-q2, Redis",
    "procrastinate_1": "procrastinate, 1 process",
    "procrastinate_2": "procrastinate, 2 processes",
}
_PROCRASTINATE = ("procrastinate_1", "procrastinate_2")


def figures_of(results: Results, claims: Mapping[str, float]) -> list[Figure]:
    return [
        *(figure for system in _LABELS for figure in _rates(system, results[system])),
        *_ratios(results),
        *_latencies(results),
        *_claims(claims),
        *_sqlite(results["ours_sqlite"]),
    ]


def _messages(measured: Measured) -> float:
    return measured.messages_per_s


def _noops(measured: Measured) -> float:
    return measured.noops_per_s


def _rates(system: str, rounds: Sequence[Measured]) -> list[Figure]:
    label = _LABELS[system]
    return [
        _spread(f"{system}_per_s", f"{label}: a message each", map(_messages, rounds), "/s"),
        _spread(f"{system}_noop_per_s", "  doing nothing", map(_noops, rounds), "/s"),
        _spread(f"{system}_sent_per_s", "  taken on", [one.sent_per_s for one in rounds], "/s"),
    ]


def _spread(
    key: str,
    label: str,
    values: Iterable[float],
    unit: str,
    *,
    least: float | None = None,
    goal: float | None = None,
) -> Figure:
    found = sorted(values)
    told = f"{label} ({found[0]:.3g} to {found[-1]:.3g})"
    return Figure(key, told, median(found), unit, least, goal=goal, is_least=least is not None)


def _ratios(results: Results) -> list[Figure]:
    """Of ours with the ORM broker on its whole way, also to peers that do nothing."""
    procrastinate, q2 = _PROCRASTINATE, ("q2_orm",)
    return [
        _spread(
            "throughput_vs_procrastinate",
            "ours to procrastinate, its better one",
            _ratio(results, "ours_orm", procrastinate, _messages),
            "x",
            least=1.3,
            goal=2,
        ),
        _spread(
            "throughput_vs_procrastinate_noop",
            "  whose tasks do nothing",
            _ratio(results, "ours_orm", procrastinate, _noops),
            "x",
        ),
        _spread(
            "throughput_vs_q2_orm",
            "ours to raw django-q2, ORM broker",
            _ratio(results, "ours_orm", q2, _messages),
            "x",
            least=1.5,
            goal=3,
        ),
        _spread(
            "throughput_vs_q2_orm_noop",
            "  whose tasks do nothing",
            _ratio(results, "ours_orm", q2, _noops),
            "x",
        ),
        _spread(
            "throughput_vs_q2_redis",
            "ours to raw django-q2, Redis",
            _ratio(results, "ours_redis", ("q2_redis",), _messages),
            "x",
        ),
    ]


def _ratio(results: Results, ours: str, peers: Sequence[str], rate: Rate) -> list[float]:
    """In each round, to the better one of its peers."""
    rounds = zip(results[ours], *(results[peer] for peer in peers), strict=True)
    return [_messages(mine) / max(map(rate, others)) for mine, *others in rounds]


def _latencies(results: Results) -> list[Figure]:
    limits = {"ours_orm": 300, "ours_redis": 30}
    keys = {"ours_orm": "orm", "ours_redis": "redis"}
    told = []
    for system, label in _LABELS.items():
        times = [ms for measured in results[system] for ms in measured.start_ms]
        if times:
            key = keys.get(system, system)
            what = f"{label}: from the commit to the handler's start"
            told += [
                Figure(f"start_p99_ms_{key}", f"{what}, p99", p99(times), "ms", limits.get(system)),
                Figure(f"start_p50_ms_{key}", "  the same, median", median(times)),
            ]
    return [*told, *_delays(results)]


def _delays(results: Results) -> list[Figure]:
    orm, redis = _late(results["ours_orm"]), _late(results["ours_redis"])
    return [
        Figure(
            "delayed_p99_s",
            "ours: from due to the handler's start, p99",
            p99(orm + redis),
            "s",
            1.3,
        ),
        Figure("delayed_p50_s", "  the same, median", median(orm + redis), "s"),
        Figure(
            "delayed_p99_s_procrastinate",
            "procrastinate: the same, p99",
            p99(_late(results["procrastinate_1"])),
            "s",
        ),
    ]


def _late(rounds: Sequence[Measured]) -> list[float]:
    return [seconds for measured in rounds for seconds in measured.late_s]


def _claims(medians: Mapping[str, float]) -> list[Figure]:
    few, millions = medians["few"], medians["millions"]
    return [
        Figure("claim_ms_10k", "a claim of 20 of 10,000 due, median", few),
        Figure("claim_ms_2m", "  beside 1M finished and 1M future ones", millions),
        Figure("claim_ratio_2m_rows", "  ratio of the two", millions / few, "x", 1.2),
        Figure("claim_ms_100k_due", "  of 100,000 due", medians["many_due"]),
        Figure(
            "claim_ms_100k_paused",
            "  of 10,000 due behind 100,000 of a paused kind",
            medians["many_paused"],
        ),
    ]


def _sqlite(rounds: Sequence[Measured]) -> list[Figure]:
    beside = [ms for measured in rounds for ms in measured.beside_ms]
    locked = sum("locked" in line for measured in rounds for line in measured.log_errors)
    return [
        _spread(
            "sqlite_jobs_per_s",
            "ours, SQLite: a message each",
            map(_messages, rounds),
            "/s",
            least=500,
        ),
        _spread(
            "sqlite_jobs_per_s_beside",
            "  beside a write every 20 ms",
            [one.beside_per_s for one in rounds],
            "/s",
        ),
        Figure("sqlite_write_p99_ms", "  those writes, p99", p99(beside)),
        Figure("sqlite_write_p50_ms", "  the same, median", median(beside)),
        Figure("sqlite_locked_errors", "  “database is locked” in its logs", locked, "", 0),
    ]
