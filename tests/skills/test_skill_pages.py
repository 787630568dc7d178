"""The console's pages of installed skills, and granting a permission to a person there."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission as ModelPermission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from config.base.models import User
from skills import registry
from skills.bindings import switch_skill
from skills.grants import Permission, grant_permission
from skills.models import AuditEvent, PermissionGrant
from skills.registry import list_skills
from skills.subjects import subject_of
from skills.usage import usage_of
from tests.factories import UserFactory
from tests.skills.conftest import AGENT, FOREIGN_AGENT, OTHER_AGENT
from tests.skills.factories import READ, permission, skill
from tests.tools.conftest import actor_of
from tools.testing import FakeDirectory

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LIST = reverse("admin:skills_permissiongrant_installed")
GRANT = reverse("admin:skills_permissiongrant_grant")
GRANTS = reverse("admin:skills_permissiongrant_changelist")
ECHO = Permission(skill_id="echo", code=READ)


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def of_version(skill_id: str, version: str = "1.0.0") -> str:
    return reverse("admin:skills_permissiongrant_manifest", args=[skill_id, version])


def text_of(console: Client, address: str) -> str:
    response = console.get(address)
    assert response.status_code == 200
    return unescape(response.content.decode())


# --- What is installed ---


def test_every_installed_skill_stands_in_the_list_and_has_a_page(console: Client) -> None:
    listed = text_of(console, LIST)
    for one in list_skills():
        manifest = one.manifest
        assert f"<code>{manifest}</code>" in listed
        text = text_of(console, of_version(manifest.skill_id, manifest.version))
        assert str(manifest.kind.label) in text
        assert str(manifest.scope.label) in text
        for need in manifest.permissions:
            for words in (need.code, need.label, f">{need.risk.name}<", need.approval.label):
                assert str(words) in text
        matchers = manifest.matchers
        for words in (*matchers.explicit, *matchers.all_phrases(), *matchers.all_patterns()):
            assert f"<code>{words}</code>" in text


def test_a_page_tells_the_tool_its_limits_and_the_steps(console: Client) -> None:
    recall = text_of(console, of_version("memory-recall"))
    assert reverse("admin:tools_tool_type", args=["memory_search"]) in recall
    assert "time limit: 2000 ms; calls per turn: 1" in recall
    assert "简体中文" in recall
    notes = text_of(console, of_version("meeting-notes"))
    assert "What is the meeting called?" in notes
    assert "list of texts, may be skipped" in notes
    assert "attempts: 3" in text_of(console, of_version("goal-check-in-reminder"))


def test_each_version_has_a_page_that_leads_to_the_others(console: Client) -> None:
    older, newer = skill(), skill(version="2.0.0", permissions=(permission("tests:more"),))
    with registry.only(older, newer):
        listed = text_of(console, LIST)
        assert listed.index("echo@2.0.0") < listed.index("echo@1.0.0")
        assert "tests:more" in text_of(console, of_version("echo", "2.0.0"))
        first = text_of(console, of_version("echo", "1.0.0"))
        assert "tests:more" not in first
        assert of_version("echo", "2.0.0") in first


def test_what_is_not_installed_has_no_page(console: Client) -> None:
    assert console.get(of_version("memory-recall", "9.9.9")).status_code == 404
    assert console.get(of_version("nothing")).status_code == 404


def test_there_is_nothing_to_change(console: Client) -> None:
    for address in (LIST, of_version("memory-recall")):
        sections = re.findall(r"<section.*?</section>", text_of(console, address), re.DOTALL)
        assert sections
        assert not re.search(r"<(form|input|button|select)", "".join(sections))


def test_the_pages_are_for_who_may_see_grants(client: Client) -> None:
    staff = UserFactory.create(is_staff=True)
    client.force_login(staff)
    addresses = (LIST, of_version("memory-recall"))
    assert [client.get(one).status_code for one in addresses] == [403, 403]
    assert LIST not in client.get(reverse("admin:index")).content.decode()
    staff.user_permissions.add(ModelPermission.objects.get(codename="view_permissiongrant"))
    assert [client.get(one).status_code for one in addresses] == [200, 200]
    assert LIST in client.get(reverse("admin:index")).content.decode()


# --- Who has it ---


@pytest.mark.usefixtures("agents", "echo")
class TestUsage:
    def usage(self, **facts: Any) -> Any:
        [told] = usage_of([skill(**facts)().manifest])
        return told

    def test_who_has_said_nothing_has_it_as_the_manifest_says(self, alice: User, bob: User) -> None:
        assert (self.usage().on, self.usage().off) == (2, 0)
        assert (self.usage(enabled=False).on, self.usage(enabled=False).off) == (0, 2)

    def test_switches_count_for_all_agents_and_exceptions_apart(
        self, alice: User, bob: User
    ) -> None:
        switch_skill(actor_of(alice), "echo", enabled=False)
        for agent in (AGENT, OTHER_AGENT):
            switch_skill(actor_of(bob), "echo", enabled=False, agent_id=agent)
        told = self.usage()
        assert (told.on, told.off, told.exceptions) == (1, 1, 1)

    def test_a_person_is_counted_once_and_only_while_the_grant_holds(
        self, alice: User, bob: User
    ) -> None:
        for agent in (None, AGENT, OTHER_AGENT):
            grant_permission(
                actor_of(alice), Permission(skill_id="echo", code=READ, agent_id=agent)
            )
        grant_permission(actor_of(bob), ECHO)
        assert self.usage().granted == {READ: 2}
        assert self.usage(version="1.9.0").granted == {READ: 2}
        assert self.usage(version="2.0.0").granted == {READ: 0}
        PermissionGrant.objects.filter(user=bob).update(revoked_at="2026-01-01T00:00:00Z")
        assert self.usage().granted == {READ: 1}

    def test_people_whose_account_rests_are_not_counted(self, alice: User, bob: User) -> None:
        grant_permission(actor_of(alice), ECHO)
        switch_skill(actor_of(alice), "echo", enabled=False)
        User.objects.filter(pk=alice.pk).update(is_active=False)
        told = self.usage()
        assert (told.on, told.off, told.granted) == (1, 0, {READ: 0})

    def test_the_list_says_how_many(self, console: Client, alice: User) -> None:
        grant_permission(actor_of(alice), ECHO)
        assert "1 person" in text_of(console, LIST)

    def test_it_costs_the_same_however_many_skills_and_people(self, console: Client) -> None:
        def cost() -> int:
            console.get(LIST)
            with CaptureQueriesContext(connection) as queries:
                console.get(LIST)
            return len(queries)

        before = cost()
        more = [skill(skill_id=f"echo-{n}") for n in range(5)]
        with registry.only(skill(), *more):
            for n in range(5):
                person = actor_of(UserFactory.create())
                grant_permission(person, Permission(skill_id=f"echo-{n}", code=READ))
                switch_skill(person, f"echo-{n}", enabled=False)
            assert cost() == before


# --- Granting ---


@pytest.mark.usefixtures("agents", "echo")
class TestGrant:
    def post(self, console: Client, **values: str) -> Any:
        said = {"user": "alice", "permission": f"echo {READ}", "agent": "", **values}
        return console.post(GRANT, said)

    @pytest.fixture(autouse=True)
    def names(self, monkeypatch: pytest.MonkeyPatch) -> None:
        agents = {AGENT: "Guide", FOREIGN_AGENT: "Other people's"}
        monkeypatch.setattr(FakeDirectory, "all_names", lambda _self: agents)

    def test_the_list_of_grants_leads_to_it(self, console: Client) -> None:
        assert GRANT in text_of(console, GRANTS)
        assert f"Do {READ} ({READ}, L1)" in text_of(console, GRANT)

    def test_a_person_has_what_was_granted_and_the_audit_says_by_whom(
        self, console: Client, alice: User, operator: User
    ) -> None:
        assert self.post(console).url == GRANTS
        grant = PermissionGrant.objects.get()
        assert (grant.user, grant.granted_by, grant.agent_id) == (alice, operator, None)
        event = AuditEvent.objects.get(action="grant.granted")
        assert event.target_id == str(grant.pk)
        assert event.metadata["owner"] == str(subject_of(alice))

    def test_for_one_agent(self, console: Client, alice: User) -> None:
        self.post(console, agent=str(AGENT))
        assert PermissionGrant.objects.get().agent_id == AGENT

    def test_twice_is_once(self, console: Client, alice: User) -> None:
        self.post(console)
        self.post(console)
        assert PermissionGrant.objects.count() == 1

    @pytest.mark.parametrize(
        ("values", "problem"),
        [
            ({"user": "nobody"}, "There is no such active user."),
            ({"user": ""}, "This field is required."),
            ({"permission": "echo tests:other"}, "Select a valid choice."),
            ({"permission": "other tests:read"}, "Select a valid choice."),
            ({"agent": str(OTHER_AGENT)}, "Select a valid choice."),
            ({"agent": str(FOREIGN_AGENT)}, "This person may not use that agent."),
        ],
    )
    def test_what_can_not_be_granted_is_told(
        self, console: Client, alice: User, values: dict[str, str], problem: str
    ) -> None:
        response = self.post(console, **values)
        assert problem in unescape(response.content.decode())
        assert not PermissionGrant.objects.exists()
        assert not AuditEvent.objects.filter(action="grant.granted").exists()

    def test_who_rests_is_given_nothing(self, console: Client, alice: User) -> None:
        User.objects.filter(pk=alice.pk).update(is_active=False)
        assert "no such active user" in self.post(console).content.decode()

    def test_it_takes_the_right_to_add_grants(self, client: Client, alice: User) -> None:
        staff = UserFactory.create(is_staff=True)
        staff.user_permissions.add(ModelPermission.objects.get(codename="view_permissiongrant"))
        client.force_login(staff)
        assert GRANT not in client.get(GRANTS).content.decode()
        assert self.post(client).status_code == 403
        assert not PermissionGrant.objects.exists()
        staff.user_permissions.add(ModelPermission.objects.get(codename="add_permissiongrant"))
        assert self.post(client).status_code == 302
        assert PermissionGrant.objects.get().granted_by == staff
