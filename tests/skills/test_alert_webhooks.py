"""What leaves, signed as docs/alerts.md says it, and what becomes of it."""

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db.models import ProtectedError
from django.utils import timezone

from config.base.errors import NotFound
from config.base.ids import uuid7
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills.alerts.errors import NoWebhook
from skills.alerts.models import Alert
from skills.alerts.services import send_test
from skills.alerts.signing import key_of, signed_headers
from skills.erasure import erase_person
from skills.models import AuditEvent
from tests.skills.alerts import SIGNING, evaluate, make_rule, make_rule_with_webhook, refuse
from tests.skills.audit import NOW
from tests.tools.secrets import operator_actor
from tools.models import Secret

pytestmark = [pytest.mark.both, pytest.mark.django_db]

DOCS = Path(django_settings.BASE_DIR) / "docs" / "alerts.md"


class Receiver(ScriptedServer):
    """Answers with what is left in `answers`, then with 204."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        super().__init__(lambda _request, peer: peer.sendall(self._next()))

    def _next(self) -> bytes:
        return self.answers.pop(0) if self.answers else http_answer(status="204 No Content")

    def got(self, n: int = -1) -> tuple[str, dict[str, str], bytes]:
        head, _blank, body = self.requests[n].partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        return first, {name.lower(): value for name, _colon, value in pairs}, body


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server, use_network(FakeNetwork(server.address).network):
        yield server


def documented() -> Callable[[str, dict[str, str], bytes], bool]:
    """The receiver's half, as the page shows it."""
    (snippet,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(snippet, names)
    check: Callable[[str, dict[str, str], bytes], bool] = names["is_genuine"]
    return check


def test_an_alert_is_sent_signed(receiver: Receiver, operator: User, alice: User) -> None:
    rule = make_rule_with_webhook(operator)
    refuse(alice, 3)
    (alert,) = evaluate()
    run_due_jobs()
    first, headers, body = receiver.got()
    assert first == "POST /hook HTTP/1.1"
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == str(alert.pk)
    assert documented()(SIGNING, headers, body)
    said = json.loads(body)
    assert said["type"] == "alert.raised"
    assert said["data"]["rule"]["name"] == rule.name
    assert said["data"]["user"] == {"subject": str(alert.subject), "username": "alice"}
    assert (said["data"]["denials"], said["data"]["is_test"]) == (3, False)
    alert.refresh_from_db()
    assert alert.status_code == 204
    assert alert.delivered_at


def test_what_is_not_genuine_does_not_pass_the_documented_check(
    receiver: Receiver, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = make_rule_with_webhook(operator)
    send_test(operator_actor(operator), rule.pk, now=timezone.now())
    run_due_jobs()
    _first, headers, body = receiver.got()
    check = documented()
    assert check(SIGNING, headers, body)
    assert not check(SIGNING, headers, body.replace(b"true", b"null"))
    assert not check("another secret", headers, body)
    assert not check(SIGNING, {**headers, "webhook-id": str(uuid7())}, body)
    assert not check(SIGNING, {**headers, "webhook-timestamp": str(int(time.time()) - 1)}, body)
    old = signed_headers(SIGNING, headers["webhook-id"], NOW, body)
    assert not check(SIGNING, old, body)


def test_the_signature_is_that_of_standard_webhooks() -> None:
    """An example of the specification's own libraries."""
    from datetime import UTC, datetime

    headers = signed_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_that_is_no_base64_is_taken_as_it_is() -> None:
    assert key_of("whsec_no base64!") == b"whsec_no base64!"
    assert key_of("plain") == b"plain"
    assert key_of("whsec_YWJj") == b"abc"


def test_what_was_not_taken_is_sent_again_under_the_same_id(
    receiver: Receiver, operator: User, alice: User
) -> None:
    make_rule_with_webhook(operator)
    receiver.answers = [http_answer(status="500 No"), http_answer(status="302 Moved")]
    refuse(alice, 3)
    (alert,) = evaluate()
    for _ in range(3):
        run_due_jobs()
        make_due(Job.objects.get())
    ids = {receiver.got(n)[1]["webhook-id"] for n in range(3)}
    assert ids == {str(alert.pk)}
    assert len(receiver.requests) == 3
    alert.refresh_from_db()
    assert alert.delivered_at
    assert Job.objects.get().status == JobStatus.COMPLETED


def test_a_receiver_that_is_gone_is_not_asked_again(
    receiver: Receiver, operator: User, alice: User
) -> None:
    make_rule_with_webhook(operator)
    receiver.answers = [http_answer(status="410 Gone")]
    refuse(alice, 3)
    evaluate()
    (job,) = run_due_jobs()
    assert job.status == JobStatus.FAILED


def test_a_redirect_is_not_followed(receiver: Receiver, operator: User, alice: User) -> None:
    make_rule_with_webhook(operator)
    moved = http_answer(status="307 Moved", headers={"Location": "http://b.example/"})
    receiver.answers = [moved]
    refuse(alice, 3)
    evaluate()
    (job,) = run_due_jobs()
    assert job.last_error_code == "too_many_redirects"
    assert len(receiver.requests) == 1


def test_a_private_address_is_dialled_only_where_the_rule_opens_it(
    receiver: Receiver, operator: User
) -> None:
    inside = FakeNetwork(receiver.address, default=("10.1.2.3",))
    rule = make_rule_with_webhook(operator)
    with use_network(inside.network):
        send_test(operator_actor(operator), rule.pk, now=timezone.now())
        (job,) = run_due_jobs()
        assert job.last_error_code == "address_refused"
        assert not receiver.requests
        rule.allowed_networks = ["10.0.0.0/8"]
        rule.save()
        make_due(job)
        (job,) = run_due_jobs()
    assert job.status == JobStatus.COMPLETED


def test_neither_job_nor_audit_hold_the_secret_or_the_address(
    receiver: Receiver, operator: User, alice: User
) -> None:
    make_rule_with_webhook(operator)
    receiver.answers = [http_answer(status="500 No")]
    refuse(alice, 3)
    evaluate()
    run_due_jobs()
    told = json.dumps(
        [
            list(Job.objects.values("payload", "result", "last_error_message")),
            list(AuditEvent.objects.values_list("metadata", flat=True)),
        ],
        default=str,
    )
    assert SIGNING not in told
    assert "/hook" not in told
    assert "alice" not in told


def test_somebody_who_was_erased_meanwhile_is_not_named(
    receiver: Receiver, operator: User, alice: User
) -> None:
    make_rule_with_webhook(operator)
    refuse(alice, 3)
    evaluate()
    alice.is_active = False
    alice.save()
    erase_person(operator_actor(operator), alice.pk)
    run_due_jobs()
    assert json.loads(receiver.got()[2])["data"]["user"]["username"] == ""


def test_a_test_is_marked_as_one_and_audited(receiver: Receiver, operator: User) -> None:
    rule = make_rule_with_webhook(operator)
    alert = send_test(operator_actor(operator), rule.pk, now=timezone.now())
    run_due_jobs()
    said = json.loads(receiver.got()[2])["data"]
    assert (said["is_test"], said["user"]) == (True, None)
    event = AuditEvent.objects.get(action="alert.tested")
    assert (event.target_id, event.actor) == (str(alert.pk), "operator")


def test_without_a_webhook_there_is_nothing_to_test(operator: User) -> None:
    rule = make_rule(operator)
    with pytest.raises(NoWebhook):
        send_test(operator_actor(operator), rule.pk, now=timezone.now())
    with pytest.raises(NotFound):
        send_test(operator_actor(operator), uuid7(), now=timezone.now())
    assert not Alert.objects.exists()


def test_the_secret_of_a_rule_stays(operator: User) -> None:
    make_rule_with_webhook(operator)
    with pytest.raises(ProtectedError):
        Secret.objects.get().delete()


def test_a_job_whose_alert_is_gone_fails_for_good(
    receiver: Receiver, operator: User, alice: User
) -> None:
    rule = make_rule_with_webhook(operator)
    refuse(alice, 3)
    evaluate()
    rule.delete()
    (job,) = run_due_jobs()
    assert job.status == JobStatus.FAILED
    assert not receiver.requests
