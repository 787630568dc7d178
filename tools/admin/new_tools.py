"""Whether tools that an import makes are switched on: both imports ask it alike."""

from django.utils.translation import gettext_lazy as _

ON, OFF = "on", "off"
NEW_TOOLS = [(OFF, _("off, until looked at")), (ON, _("on"))]
