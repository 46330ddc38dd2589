"""`jupyter bcc backend`: the embedded planner as a service of its own."""

from __future__ import annotations

import argparse
import asyncio
import signal
import socket

from tornado.httpserver import HTTPServer

from notebook_bcc_ext.cli.parsing import Subparsers
from notebook_bcc_ext.errors import BccError
from notebook_bcc_ext.planners.embedded import DEFAULT_PLAYBOOK, EmbeddedPlanner
from notebook_bcc_ext.planners.library import PlaybookLibrary
from notebook_bcc_ext.planners.service import MAX_BODY_BYTES, planner_app


def add_parser(commands: Subparsers) -> None:
    parser = commands.add_parser("backend", help="serve the embedded planner over HTTP")
    parser.add_argument("--port", type=int, default=28600)
    parser.add_argument("--ip", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--playbook", default=DEFAULT_PLAYBOOK, metavar="NAME")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    return asyncio.run(_serve(options.ip, options.port, options.playbook))


async def _serve(address: str, port: int, playbook: str) -> int:
    library = PlaybookLibrary()
    library.get(playbook)
    app = planner_app(EmbeddedPlanner(library, playbook))
    try:
        listening = socket.create_server((address, port))
    except (OSError, OverflowError) as error:
        raise BccError(f"port {port} on {address} cannot be used: {error}") from None
    listening.settimeout(0)
    server = HTTPServer(app, max_body_size=MAX_BODY_BYTES)
    server.add_socket(listening)
    print(f"planner '{playbook}' at http://{address}:{port} (Ctrl-C stops it)", flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    server.stop()
    await server.close_all_connections()
    return 0
