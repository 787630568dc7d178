"""A product that is killed comes back with what it had; the harness can show it."""

from config.base.models import User
from tests.factories import UserFactory
from tests.processes.harness import Product


def test_it_serves_from_several_processes(product: Product) -> None:
    first, second = product.start(), product.start()
    assert first.client().get("/healthz").json() == second.client().get("/healthz").json()


def test_it_keeps_its_data_when_every_process_is_killed(product: Product) -> None:
    server = product.start()
    UserFactory.create(username="alice")
    server.kill()
    assert not server.is_running
    assert product.start().client().get("/readyz").status_code == 200
    assert User.objects.filter(username="alice").exists()


def test_it_stops_in_good_time(product: Product) -> None:
    server = product.start()
    server.stop()
    assert not server.is_running
