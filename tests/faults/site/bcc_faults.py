"""Put on the path of a server under test: a contents manager and actions that misbehave.

What the contents manager does is written in a file `fault.txt` in its root folder.
"""

import asyncio
import errno
import time
from datetime import datetime, timedelta
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from notebook_bcc_ext.fsm import machine


class FaultyContents(AsyncLargeFileManager):
    async def save(self, model, path=""):
        fault = Path(self.root_dir) / "fault.txt"
        match fault.read_text() if fault.exists() else "":
            case "fails":
                raise RuntimeError("the storage service answered with an error")
            case "read-only":
                raise HTTPError(403, f"{path} is read-only")
            case "full":
                raise OSError(errno.ENOSPC, "No space left on device")
            case _:
                pass
        return await super().save(model, path)


def register(registry):
    registry.register_handler("raises", raises)
    registry.register_handler("never_returns", never_returns)
    registry.register_handler("blocks", lambda context, action: time.sleep(1_000_000))
    registry.register_handler("jump_clock", jump_clock)
    registry.before(raises, "new_chapter")
    registry.before(never_returns, "new_section")
    registry.after(raises_after, "new_step")


def raises(context, action):
    raise ZeroDivisionError("a fault in somebody's package")


def raises_after(context, action, result):
    raise ZeroDivisionError("a fault in somebody's package")


async def never_returns(context, action):
    await asyncio.Event().wait()


def jump_clock(context, action):
    """The clock of the whole server process: what is stored, shown and compared."""
    jump = float(action.model_extra["seconds"])
    real_time = time.time
    time.time = lambda: real_time() + jump

    class Jumped(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(seconds=jump)

    setattr(machine, "datetime", Jumped)  # noqa: B010  not a name that it exports
