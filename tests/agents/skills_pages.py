"""What the tests of the page of skills do: look at it, press its switches, plan reminders."""

from datetime import timedelta
from typing import Any

from bs4 import BeautifulSoup, Tag
from django.test import Client
from django.utils import timezone

from agents.models import Agent
from agents.skill_definitions import CHECK_IN

URL = "/skills/"
READ, WRITE = "memory:read", "proactive_message:write"


def signed_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(client: Client, agent: Agent | None = None, **query: Any) -> BeautifulSoup:
    response = client.get(URL, {**({"agent": agent.pk} if agent else {}), **query})
    assert response.status_code == 200
    return soup(response)


def soup(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def one(tag: Tag, selector: str) -> Tag:
    found = tag.select(selector)
    assert len(found) == 1, f"{len(found)} of {selector}"
    return found[0]


def text_of(tag: Tag) -> str:
    return tag.get_text(" ", strip=True)


def skill_line(found: Tag, skill_id: str) -> Tag:
    return one(found, f"#skill-{skill_id}")


def permission_line(found: Tag, code: str) -> Tag:
    return one(found, f"[id^=permission-][id$={code.replace(':', '-')}]")


def is_on(line: Tag) -> bool:
    return one(line, "[role=switch]")["aria-checked"] == "true"


def press(client: Client, line: Tag, button: str = "[role=switch]") -> Any:
    """Sends the form of the button as a browser without JavaScript would."""
    form = one(line, button).find_parent("form")
    assert form is not None
    values = {str(one["name"]): str(one["value"]) for one in form.select("input[name]")}
    return client.post(str(form["action"]), values, follow=True)


def grant(client: Client, code: str = WRITE, agent: Agent | None = None) -> None:
    press(client, permission_line(page(client, agent), code))


def in_form(by: Agent, **changes: Any) -> dict[str, Any]:
    """A reminder for tomorrow at nine, by the person's own zone."""
    tomorrow = timezone.now() + timedelta(days=1)
    values = {
        "agent": str(by.pk),
        "repeat": "once",
        "when": f"{tomorrow:%Y-%m-%d}T09:00",
        "cron": "",
        "zone": "UTC",
        "note": "The first draft",
    }
    return {**values, **changes}


def plan(client: Client, by: Agent, **changes: Any) -> Any:
    return client.post(f"{URL}remind/", in_form(by, **changes))


def job_lines(found: Tag) -> list[Tag]:
    return list(found.select("#reminder-jobs [data-job]"))


def check_in_line(found: Tag) -> Tag:
    return skill_line(found, CHECK_IN)
