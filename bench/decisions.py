"""What a policy decision costs with 10,000 grants: measured once there are grants."""

GRANTS = 10_000


def measure_decisions() -> dict[str, float]:
    """Milliseconds: `median` and `p95`. Empty: there is nothing to measure."""
    return {}
