"""Who names a secret: configs of tools, and rows of other apps that point at it."""

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Model
from django.utils.translation import gettext as _

from tools.models import Secret, Tool
from tools.secrets.refs import secret_names


def users_by_secret() -> dict[str, list[str]]:
    """Name of the secret to words for each of its users; a fixed number of queries."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, user in (*_tools(), *_rows()):
        found[name].append(user)
    return found


def users_of(secret: Secret) -> list[str]:
    return users_by_secret().get(secret.name, [])


def _tools() -> Iterator[tuple[str, str]]:
    for slug, config in Tool.objects.order_by("slug").values_list("slug", "config"):
        for name in sorted(secret_names(config)):
            yield name, _("tool “%(name)s”") % {"name": slug}


def _rows() -> Iterator[tuple[str, str]]:
    """By their foreign keys: higher apps may point here, and need not be known."""
    for relation in Secret._meta.related_objects:
        model, field = relation.related_model, relation.field.name
        assert isinstance(model, type)
        assert issubclass(model, Model)
        rows = model._default_manager.filter(**{f"{field}__isnull": False}).select_related(field)
        for row in rows:
            words = {"kind": model._meta.verbose_name, "name": row}
            yield getattr(row, field).name, _("%(kind)s “%(name)s”") % words
