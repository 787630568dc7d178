"""The product's settings with short times, and handlers that leave traces."""

from config.settings import *  # noqa: F403 (a settings module)
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.chaos.app"]
# The product's own mains, which say first who they are.
PROCESSES = {name: f"tests.chaos.app.mains.{name}" for name in ("worker", "pulse", "watchdog")}
JOB_RENEW_SECONDS = 0.5
