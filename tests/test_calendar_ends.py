"""Times at either end of the calendar, which are outside of it in another zone: refused, or found
to hold nothing.
"""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from django.contrib import admin
from django.db.models import DateTimeField, Model
from django.test import Client
from django.urls import reverse

from config.base.admin_base import ConsoleAdmin
from config.base.models import User

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ENDS = [
    "0001-01-01",
    "0001-01-01T00:00:00+00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59",
    "9999-12-31T23:59:59.999999+00:00",
    "9999-12-31T23:59:59-12:00",
]
MODELS = sorted(
    (model for model, page in admin.site._registry.items() if isinstance(page, ConsoleAdmin)),
    key=lambda model: model._meta.label,
)
HIERARCHIES = [model for model in MODELS if admin.site._registry[model].date_hierarchy]


@pytest.fixture(params=["Asia/Tokyo", "America/New_York"])
def console(request: pytest.FixtureRequest, client: Client, operator: User) -> Client:
    User.objects.filter(pk=operator.pk).update(time_zone=request.param)
    client.force_login(operator)
    return client


def parameters(model: type[Model]) -> Iterator[str]:
    """Those of our filters, and one that Django takes of its own accord."""
    names = [
        field.name for field in model._meta.concrete_fields if isinstance(field, DateTimeField)
    ]
    yield from (f"{name}__gte" for name in names[:1])
    if "since" in str(admin.site._registry[model].list_filter).lower():
        yield from ("since", "until")


def failures(console: Client, model: type[Model], queries: list[dict[str, str]]) -> list[str]:
    app, name = model._meta.app_label, model._meta.model_name
    urls = [f"{reverse(f'admin:{app}_{name}_changelist')}?{urlencode(one)}" for one in queries]
    console.raise_request_exception = False
    return [url for url in urls if console.get(url).status_code not in (200, 302)]


@pytest.mark.filterwarnings("ignore:DateTimeField:RuntimeWarning")  # Django's own, of a bare date
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label)
def test_no_list_of_the_console_breaks(console: Client, model: type[Model]) -> None:
    queries = [{name: end} for name in parameters(model) for end in ENDS]
    assert failures(console, model, queries) == []


def test_some_have_filters_of_ours() -> None:
    timed = {model._meta.label for model in MODELS if "until" in set(parameters(model))}
    assert {"skills.AuditEvent", "jobs.Job", "tools.ToolCall"} <= timed


@pytest.mark.parametrize("model", HIERARCHIES, ids=lambda model: model._meta.label)
def test_no_year_breaks_a_list_that_is_divided_by_years(
    console: Client, model: type[Model]
) -> None:
    column = admin.site._registry[model].date_hierarchy
    wanted = [{"year": "1"}, {"year": "9999"}, {"year": "9999", "month": "12"}, {"year": "0"}]
    wanted += [{"year": "9999", "month": "12", "day": "31"}, {"year": "1", "month": "1"}]
    queries = [{f"{column}__{part}": n for part, n in one.items()} for one in wanted]
    assert failures(console, model, queries) == []


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("name", ["from", "to"])
def test_neither_does_the_log_of_the_api(console: Client, name: str, end: str) -> None:
    assert console.get("/api/agent-tools/logs/", {name: end}).status_code in {200, 400}
