"""What may be said of secrets: their names."""

from tools.models import Secret


def list_secret_names() -> list[str]:
    return list(Secret.objects.order_by("name").values_list("name", flat=True))
