"""What alternatives are called where one is chosen."""

from django.utils.translation import gettext as _

from tools.admin.schema.shapes import Kind, Shape


def kind_words(shape: Shape) -> str:
    if shape.title and shape.kind is Kind.OBJECT:
        return shape.title
    return {
        Kind.FLAG: _("yes or no"),
        Kind.INTEGER: _("whole number"),
        Kind.NUMBER: _("number"),
        Kind.TEXT: _("text"),
        Kind.LONG_TEXT: _("text"),
        Kind.CHOICE: _("one of several"),
        Kind.CHOICES: _("some of several"),
        Kind.LINES: _("list of texts"),
        Kind.PAIRS: _("names and texts"),
        Kind.SECRET: _("secret"),
        Kind.TEXT_OR_SECRET: _("text or secret"),
        Kind.OBJECT: _("object"),
        Kind.LIST: _("list"),
        Kind.MAP: _("names and values"),
        Kind.UNION: _("one of several"),
    }.get(shape.kind, _("JSON"))
