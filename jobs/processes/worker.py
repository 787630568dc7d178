"""The cluster of django-q2: its main process, which the supervisor starts, stops and restarts."""

import signal
from types import FrameType

from jobs import q2
from jobs.processes.database import keep_one_connection
from jobs.worker import activity


def main() -> None:
    """Returns when the cluster has ended, however that came."""
    keep_one_connection()
    activity.forget()
    cluster = q2.start_cluster()

    def stop(signum: int, frame: FrameType | None) -> None:
        activity.stop_working()  # or a worker would go on claiming to the end of its wake-up
        cluster.sig_handler(signum, frame)

    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, stop)
    cluster.sentinel.join()
