"""`python -m bench.queues.prepare`: the product's tables, and people with conversations in them."""

import django
from django.core.management import call_command

PEOPLE, CONVERSATIONS = 10, 50


def main() -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    _cast()


def _cast() -> None:
    from agents.models import Agent, Conversation
    from config.base.models import User

    agent = Agent.objects.create(slug="bench", name="Bench")
    people = [User.objects.create(username=f"person{n}") for n in range(PEOPLE)]
    for n in range(CONVERSATIONS):
        Conversation.objects.create(owner=people[n % PEOPLE], agent=agent)


if __name__ == "__main__":
    main()
