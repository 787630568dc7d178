import pytest

from tools import registry
from tools.docs.catalogue import describe_type, describe_types
from tools.errors import UnknownToolType
from tools.testing import FakeEcho, Peer
from tools.tool_type import ToolConfig


def test_it_finds_the_types_that_ship() -> None:
    names = [tool_type.name for tool_type in registry.list_tool_types()]
    assert {"calculator", "datetime", "document", "fetch"} <= set(names)
    assert names == sorted(names)


def test_registering_a_class_again_changes_nothing(peer: Peer) -> None:
    before = registry.get_tool_type("fake_echo")
    registry.register(FakeEcho)
    assert type(registry.get_tool_type("fake_echo")) is type(before)


def test_it_refuses_two_types_of_one_name(peer: Peer) -> None:
    class Impostor(FakeEcho):
        pass

    with pytest.raises(ValueError, match="fake_echo"):
        registry.register(Impostor)


def test_an_unknown_name_says_which_are_known() -> None:
    with pytest.raises(UnknownToolType, match="calculator"):
        registry.get_tool_type("abacus")
    assert registry.find_tool_type("abacus") is None


@pytest.mark.parametrize("described", describe_types(), ids=lambda found: str(found.name))
def test_each_shipped_type_describes_itself(described: object) -> None:
    for name in ("label", "config_schema", "input_schema", "description", "annotations"):
        assert getattr(described, name), name


def test_a_type_that_needs_a_config_is_described_without_one(peer: Peer) -> None:
    class Needy(ToolConfig):
        server: str

    class NeedyEcho(FakeEcho):
        config_model = Needy  # type: ignore[assignment]  # a config unlike its parent's

    described = describe_type(NeedyEcho())
    assert described.config_schema["required"] == ["server"]
    assert (described.input_schema, described.description, described.annotations) == (None,) * 3
