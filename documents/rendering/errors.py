"""What stops a rendering."""

from config.base.errors import GatehouseError


class RenderingTooLong(GatehouseError):
    """This text takes too long to lay out."""

    code = "rendering_too_long"
