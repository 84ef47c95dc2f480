"""SIGINT and SIGTERM.

The first one stops the search, which is then saved; the second one ends the command at once. A command that runs for us has
a session of its own, so that it gets each signal once: from here.
"""

from __future__ import annotations

import os
import signal
import subprocess
from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Signals:
    """Catches signals while it is entered."""

    def __init__(self) -> None:
        self.caught: int | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> Signals:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._catch)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in _SIGNALS:
            signal.signal(number, self._before[number])  # type: ignore[arg-type]

    def _catch(self, number: int, frame: FrameType | None) -> None:
        if self._child is not None:
            self._child.send_signal(number)
        elif self.caught is not None:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.caught = number

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Waits for a command, which gets the signals that come meanwhile. Returns its exit status."""
        self._child = child
        try:
            if self.caught is not None:
                child.send_signal(self.caught)
            status = child.wait()
        finally:
            self._child = None
        return status if status >= 0 else 128 - status
