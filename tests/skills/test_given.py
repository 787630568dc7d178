"""What a person has given, read at once for all agents: the same as read for each."""

from uuid import UUID

import pytest

from config.base.models import User
from skills.given import Given, all_given, given_anywhere
from tests.skills.conftest import AGENT, OTHER_AGENT
from tests.skills.factories import WRITE, make_grant, make_switch

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def parts(given: Given) -> tuple[set[object], set[object]]:
    return set(given.grants), set(given.switches)


@pytest.mark.parametrize("agent", [None, AGENT, OTHER_AGENT], ids=["none", "one", "other"])
def test_it_is_the_same_as_what_counts_for_each(alice: User, bob: User, agent: UUID | None) -> None:
    for person in (alice, bob):
        make_grant(person)
        make_grant(person, WRITE, agent_id=AGENT)
        make_switch(person, enabled=False, agent_id=OTHER_AGENT)
    make_switch(alice, enabled=True)
    assert parts(given_anywhere(alice).for_agent(agent)) == parts(all_given(alice, agent))
