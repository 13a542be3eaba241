"""The clients of others: where they are, and how they get there."""

import os
import pathlib
import shutil
import subprocess
import venv

from harness import Failure

# The versions that the figures in the README were measured with.
PYTHON = [
    "aiohttp==3.14.5", "httpx==0.28.1", "requests==2.34.2", "schemathesis==4.32.5", "prometheus-client==0.26.0",
    "openapi-spec-validator==0.9.0",
]
PROGRAMS = {"curl": "curl", "wget": "wget", "ab": "apache2-utils", "wrk": "wrk", "hey": "hey", "node": "nodejs"}


class Tools:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.python = self.folder / "venv" / "bin" / "python"
        self.schemathesis = self.folder / "venv" / "bin" / "schemathesis"
        self.promtool = self.folder / "prometheus" / "usr" / "bin" / "promtool"

    def install(self):
        self.install_python()
        missing = [name for name in PROGRAMS if not shutil.which(name)]
        if missing or not self.promtool.exists():
            self.install_programs(missing)

    def install_python(self):
        mark = self.folder / "installed"
        wanted = "\n".join(PYTHON)
        if mark.exists() and mark.read_text() == wanted:
            return
        venv.create(self.folder / "venv", with_pip=True, clear=True)
        self.must([self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYTHON])
        mark.write_text(wanted)

    def install_programs(self, missing):
        if os.geteuid() != 0:
            raise Failure(f"{', '.join(missing) or 'promtool'} can't be installed by a user who is not root.")
        self.must(["apt-get", "update", "-qq"])
        if missing:
            packages = [PROGRAMS[name] for name in missing]
            self.must(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages])
        # Only a program of the package: all of it would start a server.
        self.must(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", "prometheus"])
        self.must(["dpkg", "-x", next(self.folder.glob("prometheus_*.deb")), self.folder / "prometheus"])

    def must(self, command):
        answer = subprocess.run(
            [str(word) for word in command], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if answer.returncode:
            raise Failure(f"{' '.join(map(str, command))}\n{answer.stdout[-2000:]}{answer.stderr[-2000:]}")
