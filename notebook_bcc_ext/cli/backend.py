"""`jupyter bcc backend`: the embedded planner as a service of its own."""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket
from pathlib import Path

from tornado.httpserver import HTTPServer

from notebook_bcc_ext.cli.output import say
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.embedded import DEFAULT_PLAYBOOK, EmbeddedPlanner
from notebook_bcc_ext.planners.files import SUFFIXES
from notebook_bcc_ext.planners.library import PlaybookLibrary, default_folders
from notebook_bcc_ext.planners.service import MAX_BODY_BYTES, planner_app


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=28600)
    parser.add_argument("--ip", default="127.0.0.1", help="address to listen on")
    parser.add_argument(
        "--playbook", default=DEFAULT_PLAYBOOK, metavar="NAME", help="its name or its file"
    )


def execute(options: argparse.Namespace) -> int:
    return asyncio.run(_serve(options.ip, options.port, options.playbook))


async def _serve(address: str, port: int, playbook: str) -> int:
    # A client may choose among the names; a file is served because it was named here.
    files = [Path(playbook)] if playbook.endswith(SUFFIXES) else []
    library = PlaybookLibrary(files, folders=default_folders())
    library.get(playbook)
    app = planner_app(EmbeddedPlanner(library, playbook))
    try:
        listening = socket.create_server((address, port))
    except (OSError, OverflowError) as error:
        raise BccError(f"port {port} on {address} cannot be used: {error}") from None
    listening.settimeout(0)
    server = HTTPServer(app, max_body_size=MAX_BODY_BYTES)
    server.add_socket(listening)
    say(f"planner '{playbook}' at http://{address}:{port} (Ctrl-C stops it)")
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    server.stop()
    await server.close_all_connections()
    return 0
