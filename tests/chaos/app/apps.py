import os
from multiprocessing.util import register_after_fork

from django.apps import AppConfig

from tests.chaos.app import roles
from tests.chaos.app.clock import shift_clock


class ChaosConfig(AppConfig):
    name = "tests.chaos.app"
    label = "chaos"

    def ready(self) -> None:
        from tests.chaos.app import sabotage

        register_after_fork(self, roles.say_target)
        shift_clock(float(os.environ.get("CHAOS_CLOCK_SECONDS", "0")))
        sabotage.commit(os.environ.get("CHAOS_SABOTAGE", ""))
