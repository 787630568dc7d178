"""Importing this sets Django up with a home of its own, whatever the developer's environment says.

Not left to pytest-django: it would load the settings before any conftest could choose the home.
DATABASE_URL stays: it says on which database the tests run.
"""

import os
import tempfile
from pathlib import Path

import django

FOREIGN = ("GATEHOUSE_", "DJANGO_", "PORT", "HOST")  # a developer's own settings

for name in [name for name in os.environ if name.startswith(FOREIGN)]:
    del os.environ[name]

HOME = Path(tempfile.mkdtemp(prefix="gatehouse-tests-"))
os.environ["GATEHOUSE_HOME"] = str(HOME)
os.environ["GATEHOUSE_REQUESTS_PER_MINUTE"] = "0"  # tests of limits set their own
os.environ["GATEHOUSE_LINK_READS_PER_MINUTE"] = "0"
os.environ["GATEHOUSE_TOKEN_REQUESTS_PER_MINUTE"] = "0"
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()
