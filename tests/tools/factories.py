"""Tools of the fake types."""

import factory
from factory.django import DjangoModelFactory

from tools.models import Tool


class ToolFactory(DjangoModelFactory[Tool]):
    class Meta:
        model = Tool

    type = "fake_echo"
    slug = factory.Sequence(lambda n: f"tool_{n}")
    name = factory.LazyAttribute(lambda tool: tool.slug.title())
