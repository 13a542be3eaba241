"""A server with panels, and what every check needs."""

import json
import os
import re
import signal
import subprocess
import time

from chromium import Failure, PATIENCE


def must(condition, what):
    if not condition:
        raise Failure(what)


class Server:
    """settings-panel with a home of its own."""

    def __init__(self, program, home, arguments, domain):
        self.program, self.home, self.arguments, self.domain = program, home, arguments, domain
        self.port = 0
        self.start()

    def start(self):
        environment = dict(os.environ, HOME=self.home)
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [self.program, "serve", *self.arguments, "--port", str(self.port)], env=environment,
            stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)(/\S+)", line)
            if found:
                self.port, self.link = int(found[1]), found[0]
                return
        raise Failure("The server has not printed a link.")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        must(self.process.wait(timeout=PATIENCE) is not None, "The server does not end.")

    def values(self):
        """What is stored, seen by another program: the file with its journal."""
        environment = dict(os.environ, HOME=self.home)
        environment.pop("XDG_CONFIG_HOME", None)
        tool = os.path.join(os.path.dirname(os.path.abspath(self.program)), "settle")
        done = subprocess.run([tool, "export", self.domain, "-", "--json"], env=environment, capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def stores(self, key, value):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.values().get(key) == value:
                return
            time.sleep(0.05)
        raise Failure(f"{key} is {self.values().get(key)!r}, not {value!r}")

    def keeps(self, key, value):
        must(self.values().get(key) == value, f"{key} is {self.values().get(key)!r}, not {value!r}")

    def write(self, key, *value):
        """Another process changes a setting."""
        environment = dict(os.environ, HOME=self.home)
        environment.pop("XDG_CONFIG_HOME", None)
        tool = os.path.join(os.path.dirname(os.path.abspath(self.program)), "settle")
        subprocess.run([tool, "write", "--literal", self.domain, key, *value], env=environment, check=True)


def control(key):
    return f"form[data-key={json.dumps(key)}]"


def enter(browser, server, **options):
    """Follows the server's link, and presses the button."""
    page = browser.page(**options)
    page.go(server.link)
    must(page.run("document.querySelector('form[action=\"/settings/enter\"]') !== null"), "The link shows no page with a button.")
    page.forget_events()
    page.click("button")
    page.loaded()
    return page
