"""The programs needed beside Python: PostgreSQL's server, Chromium and, to measure jobs, Redis.

Missing ones are installed where that is possible (root on Debian and its kin; Playwright's own
Chromium for anybody); elsewhere the tests that need them fail and say what to install.
"""

import os
import shutil
import subprocess
import sys

from scripts.with_postgres import find_programs

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """A browser of the system's, if one answers: Ubuntu's `chromium-browser` can be a mere stub."""
    found = (shutil.which(name) for name in CHROMIUM_NAMES)
    return next((path for path in found if path and _succeeds(path, "--version")), None)


def ensure_postgres() -> None:
    if find_programs() is None:
        _apt_install("postgresql")


def ensure_redis() -> None:
    if shutil.which("redis-server") is None:
        _apt_install("redis-server")


def ensure_chromium() -> None:
    if find_chromium() is None:
        _apt_install("chromium")
    if find_chromium() is None:
        print("Looking for Playwright's own Chromium …", flush=True)
        _succeeds(sys.executable, "-m", "playwright", "install", "chromium")


def _apt_install(package: str) -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    print(f"Installing {package} with apt-get …", flush=True)
    # RUNLEVEL=1: Debian then starts no service of the package's own; the tests make their own.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    install = ["install", "--yes", "--no-install-recommends", package]
    for arguments in (["update"], install):
        subprocess.run(["apt-get", "-qq", *arguments], env=environment, check=False)


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
