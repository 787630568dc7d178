"""What people see of it: cards that say why, and pages that load nothing which a model wrote."""

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from documents.models import Document
from tests.agents.hostile.attacker import SECRET
from tests.agents.hostile.channels import page
from tests.agents.hostile.conftest import Scene
from tests.agents.hostile.obedient import order
from tests.tools.api import Api
from tools.models import ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LOADING = ("src", "srcset", "poster", "background", "data", "action", "style", "ping", "manifest")


@pytest.fixture
def client(scene: Scene) -> Client:
    client = Client()
    client.force_login(scene.alice)
    return client


def assert_loads_nothing(client: Client, url: str) -> BeautifulSoup:
    """Nothing of it calls home by being looked at: by its tags, by its policy, by looking names
    up in advance."""
    response = client.get(url)
    found = BeautifulSoup(response.content, "html.parser")
    assert SECRET in found.text + str(found.select("a[href]"))
    for tag in found.find_all(True):
        loads = {name: str(tag.get(name, "")) for name in LOADING}
        loads |= {"href": str(tag.get("href", ""))} if tag.name not in ("a", "area") else {}
        assert not [name for name, value in loads.items() if "evil.example" in value], tag
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "img-src 'self';" in policy
    assert response.headers["X-DNS-Prefetch-Control"] == "off"
    return found


def test_an_image_in_an_answer_is_not_loaded(scene: Scene, client: Client) -> None:
    run = page(scene, order("image-in-the-answer"))
    assert_loads_nothing(client, f"/chat/{run.conversation_id}/")
    assert_loads_nothing(client, f"/chat/{run.conversation_id}/thread/")
    scene.assert_nothing_left()


def test_nor_one_in_a_document_that_it_wrote(scene: Scene, client: Client) -> None:
    page(scene, order("new-document"))
    written = Document.objects.get(title="Plan")
    assert_loads_nothing(client, f"/documents/{written.pk}/")


def test_nor_one_in_a_message_that_it_left(scene: Scene, client: Client) -> None:
    page(scene, order("message-elsewhere"))
    assert_loads_nothing(client, f"/chat/{scene.other.pk}/")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("composed-url", "tainted_private"),
        ("headers", "tainted_request"),
        ("post-to-the-users-page", "tainted_send"),
        ("told-to-a-model-outside", "tainted_request"),
        ("delete", "tainted_deletion"),
    ],
)
def test_a_card_says_what_would_leave_and_why_it_waits(
    scene: Scene, client: Client, name: str, code: str
) -> None:
    run = page(scene, order(name))
    (draft,) = scene.waiting()
    status, listed = Api(scene.alice)("GET", "/api/agent/actions/")
    (shown,) = listed["results"]
    (reason,) = [one for one in shown["decision"]["reasons"] if one["gate"] == "taint"]
    assert (status, shown["id"], reason["reason_code"]) == (200, str(draft.pk), code)
    assert name == "delete" or SECRET in str(shown["preview"]) + str(shown["arguments"])
    for url in ("/actions/", f"/chat/{run.conversation_id}/"):
        assert shown["decision"]["reason"] in client.get(url).content.decode()
    assert ToolCall.objects.get(pk=draft.call_id).status == "needs_confirmation"
