"""Runs a measurement in a process of its own and says how much memory it took.

Linux counts what the parent held when it forked as memory of the child, so no measurement can show less than this process
uses. That is why nothing here imports numpy.
"""

import dataclasses
import os
import subprocess
import tempfile
import threading


@dataclasses.dataclass(frozen=True)
class Finished:
    exit_code: int  # negative: the signal that ended it
    peak_mb: float
    output: str
    errors: str


def run(command: list[object], time_limit: float) -> Finished:
    """Waits for `command`, but kills it after `time_limit` seconds."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen([str(word) for word in command], stdout=output, stderr=errors)
        timer = threading.Timer(time_limit, child.kill)
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return Finished(child.returncode, usage.ru_maxrss / 1024, output.read(), errors.read())
