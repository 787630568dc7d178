"""Rules and alerts in the console."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.base.models import User
from jobs.enums import JobStatus
from jobs.models import Job
from scripts.error_codes import PAGE
from skills.alerts.choices import REASONS
from skills.alerts.models import Alert, AlertRule
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.skills.alerts import make_alert, make_rule, make_rule_with_webhook, refuse
from tests.tools.secrets import make_secret

pytestmark = [pytest.mark.both, pytest.mark.django_db]

ADD = "admin:skills_alertrule_add"
CHANGE = "admin:skills_alertrule_change"
DELIVERIES = "admin:skills_alertrule_deliveries_page"
VALUES = {"name": "too often", "denials": "3", "minutes": "10", "enabled": "on"}

# With what gates let something pass, or ask.
NO_REFUSAL = {
    *("agent_needs_approval", "attended", "confirmed_by_caller", "consent_each_time"),
    *("consent_given", "consent_missing", "enabled", "high_risk", "host_named", "marked"),
    *("no_approval_needed", "no_consent_needed", "no_quota", "reads_inside"),
    *("standing_approval", "standing_approval_void", "tainted_deletion", "tainted_private"),
    *("tainted_request", "tainted_send", "tainted_url", "tool_needs_approval"),
    *("type_requires_approval", "unattended_read", "unattended_write", "untainted"),
    *("url_of_user", "url_was_read", "within_quota"),
}


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def errors_of(console: Client, **values: Any) -> set[str]:
    response = console.post(reverse(ADD), {**VALUES, **values})
    assert response.status_code == 200
    return set(response.context["adminform"].form.errors)


def test_an_operator_makes_a_rule_with_a_webhook(console: Client, operator: User) -> None:
    secret = make_secret(operator)
    webhook = {"url": "https://a.example/hook", "secret": str(secret.pk)}
    networks = {"allowed_networks": "10.0.0.0/8\n192.168.1.7"}
    assert console.post(reverse(ADD), {**VALUES, **webhook, **networks}).status_code == 302
    rule = AlertRule.objects.get()
    assert (rule.secret, rule.allowed_networks) == (secret, ["10.0.0.0/8", "192.168.1.7"])
    page = console.get(reverse(CHANGE, args=[rule.pk])).content.decode()
    assert "10.0.0.0/8\n192.168.1.7" in page


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"denials": "0"}, "denials"),
        ({"denials": "1001"}, "denials"),
        ({"minutes": "0"}, "minutes"),
        ({"minutes": "10081"}, "minutes"),
        ({"name": ""}, "name"),
        ({"url": "ftp://a.example/"}, "url"),
        ({"url": "http://10.0.0.1/"}, "url"),
        ({"url": "https://u:p@a.example/"}, "url"),
        ({"url": "https://a.example/"}, "secret"),
        ({"allowed_networks": "10.0.0.1/8"}, "allowed_networks"),
        ({"tool": "no-such-tool"}, "tool"),
        ({"skill": "memory-recal"}, "skill"),
        ({"reason_code": "permission_misssing"}, "reason_code"),
    ],
)
def test_what_can_t_work_is_refused(console: Client, values: dict[str, str], field: str) -> None:
    assert errors_of(console, **values) == {field}
    assert not AlertRule.objects.exists()


def test_a_rule_is_about_what_there_is(console: Client) -> None:
    about = {"tool": "fetch", "skill": "memory-recall", "reason_code": "permission_missing"}
    assert console.post(reverse(ADD), {**VALUES, **about}).status_code == 302
    rule = AlertRule.objects.get()
    assert (rule.tool, rule.skill, rule.reason_code) == tuple(about.values())


def test_what_is_gone_stays_in_the_rules_that_are_about_it(console: Client, operator: User) -> None:
    about = {"tool": "sold", "skill": "old-skill", "reason_code": "old_reason"}
    rule = make_rule(operator, **about)
    address = reverse(CHANGE, args=[rule.pk])
    page = console.get(address).content.decode()
    for value in about.values():
        assert f"{value} (gone)" in page
    assert console.post(address, {**VALUES, **about, "denials": "9"}).status_code == 302
    rule.refresh_from_db()
    assert (rule.denials, rule.tool, rule.skill, rule.reason_code) == (9, *about.values())
    assert errors_of(console, **{**about, "name": "another"}) == set(about)


def test_reasons_of_gates_that_were_added_here_can_be_chosen(
    console: Client, operator: User, alice: User
) -> None:
    assert errors_of(console, reason_code="office_hours") == {"reason_code"}
    refuse(alice, reason_code="office_hours")
    assert console.post(reverse(ADD), {**VALUES, "reason_code": "office_hours"}).status_code == 302


def test_each_code_that_gates_say_is_a_reason_or_no_refusal() -> None:
    decisions = PAGE.read_text().split("## Of a decision")[1].split("\n## ")[0]
    said = set(re.findall(r"^\| `(\w+)` \|", decisions, re.MULTILINE))
    assert said - NO_REFUSAL == REASONS & said
    assert not NO_REFUSAL & REASONS


def test_a_secret_that_is_not_meant_for_the_host_is_refused(
    console: Client, operator: User
) -> None:
    secret = make_secret(operator, allow_http=False)
    for url in ("https://b.example/", "http://a.example/"):
        assert errors_of(console, url=url, secret=str(secret.pk)) == {"secret"}


def test_a_secret_in_use_by_a_rule_can_t_be_deleted(console: Client, operator: User) -> None:
    rule = make_rule_with_webhook(operator)
    assert rule.secret
    address = reverse("admin:tools_secret_delete", args=[rule.secret.pk])
    assert rule.name in console.get(address).content.decode()


def test_a_test_is_sent_from_the_page(console: Client, operator: User) -> None:
    rule = make_rule_with_webhook(operator)
    address = reverse(DELIVERIES, args=[rule.pk])
    assert "Send a test" in console.get(address).content.decode()
    assert console.post(address).status_code == 302
    alert = Alert.objects.get()
    assert alert.is_test
    assert alert.job == Job.objects.get()
    assert "being sent" in console.get(address).content.decode()


def test_looking_at_the_page_sends_nothing(console: Client, operator: User) -> None:
    console.get(reverse(DELIVERIES, args=[make_rule_with_webhook(operator).pk]))
    assert not Job.objects.exists()


def test_without_a_webhook_nothing_can_be_sent(console: Client, operator: User) -> None:
    address = reverse(DELIVERIES, args=[make_rule(operator).pk])
    assert "Send a test" not in console.get(address).content.decode()
    page = console.post(address, follow=True).content.decode()
    assert "has no webhook" in page
    assert not Alert.objects.exists()


def test_the_page_says_what_became_of_the_last_alerts(
    console: Client, operator: User, alice: User
) -> None:
    alert = make_alert(alice)
    address = reverse(DELIVERIES, args=[alert.rule_id])
    page = console.get(address).content.decode()
    assert "not delivered" in page
    assert "connect_failed" in page
    Alert.objects.filter(pk=alert.pk).update(delivered_at=timezone.now(), status_code=204)
    assert "204" in console.get(address).content.decode()


def test_an_alert_whose_job_was_thrown_away_says_so(console: Client, alice: User) -> None:
    alert = make_alert(alice)
    AlertRule.objects.update(url="https://a.example/")
    Job.objects.filter(status=JobStatus.FAILED).delete()
    page = console.get(reverse("admin:skills_alert_change", args=[alert.pk]))
    assert "not delivered" in page.content.decode()


def test_lists_cost_the_same_for_one_and_for_many(
    console: Client, operator: User, alice: User
) -> None:
    def cost(name: str, *key: Any) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert console.get(reverse(name, args=key)).status_code == 200
        return len(queries)

    rule = make_alert(alice).rule
    lists: list[tuple[Any, ...]] = [("admin:skills_alert_changelist",), (DELIVERIES, rule.pk)]
    for one in lists:
        cost(*one)  # warms what is cached once
    few = [cost(*one) for one in lists]
    for _ in range(5):
        make_alert(UserFactory.create())
    assert [cost(*one) for one in lists] == few


def test_only_who_may_change_rules_sends_tests(client: Client, operator: User) -> None:
    address = reverse(DELIVERIES, args=[make_rule_with_webhook(operator).pk])
    staff = UserFactory.create(is_staff=True)
    client.force_login(staff)
    assert client.get(address).status_code == 403
    staff.user_permissions.add(Permission.objects.get(codename="view_alertrule"))
    client.force_login(User.objects.get(pk=staff.pk))
    assert "Send a test" not in client.get(address).content.decode()
    assert client.post(address).status_code == 403
    assert not Job.objects.exists()


def test_an_unknown_rule_leads_back(console: Client) -> None:
    unknown = "018f3b5e-0000-7000-8000-0000000000a1"
    assert console.get(reverse(DELIVERIES, args=[unknown])).status_code == 302


def test_every_change_is_an_event(console: Client, operator: User) -> None:
    rule = make_rule(operator)
    address = reverse(CHANGE, args=[rule.pk])
    assert console.post(address, {**VALUES, "denials": "4"}).status_code == 302
    assert console.post(address, {**VALUES, "denials": "4"}).status_code == 302
    events = AuditEvent.objects.filter(target_id=str(rule.pk)).order_by("pk")
    assert [event.metadata["fields"] for event in events] == [["created"], ["denials"]]
