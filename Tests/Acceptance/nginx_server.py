"""What every configuration of an nginx of one's own begins with; templates for `str.format`, with the server's `folder`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from pathlib import Path

#: The program; None where it is not installed.
NGINX = shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None)

MAIN = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
"""

#: The log in the format `bare`, and where bodies go that do not fit into memory: below `http`.
FOLDERS = """
    access_log {folder}/access.log bare;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
"""


def start_nginx(command: list[str], holder: socket.socket) -> subprocess.Popen:
    """Starts an nginx that takes over a held port, as a new one does from an old one. Its configuration has to name a
    backlog, else it takes the port for one that is listened on already."""
    descriptor = holder.fileno()
    return subprocess.Popen(
        command, pass_fds=[descriptor], env=os.environ | {"NGINX": f"{descriptor};"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
