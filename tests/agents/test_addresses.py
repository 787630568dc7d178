"""An address of the page of skills in what is said can be followed."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from agents.models import Agent, Message, MessageRole
from agents.views.addresses import link_in_html, link_in_text
from config.base.actor import Actor, Origin
from config.base.models import User
from documents.rendering import render_markdown
from skills.bindings import switch_skill
from skills.models import SkillRun
from tests.agents.conftest import Turn

SWITCH = "/skills/#permission-memory-recall-memory-read"


def links_in(markdown: str) -> list[tuple[str, str]]:
    found = BeautifulSoup(link_in_html(render_markdown(markdown)), "html.parser").select("a")
    return [(str(one["href"]), one.text) for one in found]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("under /skills/.", "/skills/"),
        (f"under {SWITCH}.", SWITCH),
        ("在 /skills/ 下", "/skills/"),
        ("**/skills/**", "/skills/"),
        ("- a\n- /skills/", "/skills/"),
        ("a `b` /skills/ `c`", "/skills/"),
        ("<b> /skills/", "/skills/"),
    ],
)
def test_an_address_of_ours_that_stands_alone_becomes_a_link(text: str, address: str) -> None:
    assert links_in(text) == [(address, "Skills")]


@pytest.mark.parametrize(
    "text",
    [
        "`/skills/`",
        "`GET /skills/ HTTP/1.1`",
        "```\nGET /skills/ HTTP/1.1\n```",
        "```python\nget( '/skills/' ) # see /skills/ now\n```",
        "    curl /skills/ now",
        "[go to /skills/ now](https://a.example/)",
        "[go `there` to /skills/ now](https://a.example/)",
        '[x](https://a.example/ "see /skills/ now > /skills/ now")',
        "[x](/skills/)",
        "![see /skills/ now](https://a.example/x.png)",
        "https://evil.example/skills/",
        "/skills/jobs/",
    ],
)
def test_anything_else_stays_as_it_was_laid_out(text: str) -> None:
    assert link_in_html(render_markdown(text)) == render_markdown(text)


def test_plain_text_stays_text() -> None:
    assert link_in_text("<b> /skills/") == '&lt;b&gt; <a href="/skills/">Skills</a>'


def thread(client: Client, alice: User, run: Any) -> BeautifulSoup:
    client.force_login(alice)
    answer = client.get(f"/chat/{run.conversation_id}/thread/")
    return BeautifulSoup(answer.content, "html.parser")


@pytest.mark.django_db
def test_what_is_missing_is_said_once_with_a_link_to_its_switch(
    client: Client, alice: User, guide: Agent, turn: Turn
) -> None:
    run = turn(alice, "Do you remember which tea I like?")
    found = thread(client, alice, run)
    assert found.text.count("Read agent memories") == 1
    [link] = found.select(f'a[href="{SWITCH}"]')
    assert link.text == "Skills"
    assert client.get("/skills/").content.decode().count(f'id="{SWITCH.partition("#")[2]}"') == 1
    assert SWITCH in Message.objects.get(run=run, role=MessageRole.ASSISTANT).text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("command", "skill_id", "name"),
    [
        ("/memory-recall tea", "memory-recall", "Memory recall"),
        ("/weekly-review", "weekly-review", "Weekly review"),
        ("/meeting-notes", "meeting-notes", "Meeting notes"),
    ],
)
def test_the_command_of_a_skill_that_is_off_says_so(
    client: Client, alice: User, turn: Turn, command: str, skill_id: str, name: str
) -> None:
    switch_skill(Actor(user=alice, origin=Origin.CHAT), skill_id, enabled=False)
    run = turn(alice, command)
    found = thread(client, alice, run)
    assert f"The skill “{name}” is switched off" in found.text
    assert found.select(f'a[href="/skills/#skill-{skill_id}"]')
    used = SkillRun.objects.get()
    assert (used.skill_id, used.status, used.error_code) == (skill_id, "denied", "skill_disabled")


@pytest.mark.django_db
def test_other_words_for_a_skill_that_is_off_go_to_the_model(alice: User, turn: Turn) -> None:
    switch_skill(Actor(user=alice, origin=Origin.CHAT), "memory-recall", enabled=False)
    turn(alice, "Do you remember which tea I like?")
    assert not SkillRun.objects.exists()
