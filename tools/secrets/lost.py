"""Secrets that nothing can open: the key that sealed them is not there."""

from django.db.models import Count

from tools.models import Secret
from tools.secrets.keys import knows_key


def count_lost() -> dict[str, int]:
    """Id of the key to how many secrets wait for it; one query over a small table."""
    counts = Secret.objects.order_by().values_list("key_id").annotate(n=Count("pk"))
    return {key_id: n for key_id, n in counts if not knows_key(key_id)}


def check_secrets() -> str:
    """One of settings.READINESS_CHECKS. All else works without them, so it stays ready."""
    lost = sum(count_lost().values())
    return f"ok ({lost} can't be opened: their key is not there)" if lost else "ok"
