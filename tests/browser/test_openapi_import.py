"""An operator imports an OpenAPI document: upload, search, choose, see what came of it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext, PHONE, SignIn
from tests.browser.test_accessibility import problems_of
from tests.tools.openapi.documents import as_bytes, large, small

PATH = "/admin/tools/tool/import-openapi/"
