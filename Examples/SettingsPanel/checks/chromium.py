"""Headless Chromium, driven over its DevTools protocol through pipes: what a person does, and what is seen."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# Every check imports this module first.
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from harness import Failure  # noqa: E402

PATIENCE = 60
# A desktop's mouse, which a browser without a screen lacks: what only hovering shows would always be shown.
MOUSE = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise Failure("There is no Chromium. Install it: apt-get install chromium")


class Chromium:
    """A browser with a profile of its own, which is gone with it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="settings-panel-")
        read, self.commands = os.pipe()
        self.answers, write = os.pipe()

        def wire():
            os.dup2(read, 1000)
            os.dup2(write, 1001)
            os.dup2(1000, 3)
            os.dup2(1001, 4)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run", "--disable-gpu",
             "--disable-dev-shm-usage", "--hide-scrollbars", MOUSE, f"--user-data-dir={self.profile}"],
            # In English the month comes first where a date is typed.
            env={**os.environ, "LANGUAGE": "en_US"}, preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self.number = 0
        self.replies = {}
        self.events = []
        self.mistakes = {}
        self.news = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        rest = b""
        while True:
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                return
            rest += piece
            *messages, rest = rest.split(b"\0")
            with self.news:
                for message in map(json.loads, messages):
                    if "id" in message:
                        self.replies[message["id"]] = message
                    else:
                        self.events.append(message)
                        self._keep_mistake(message)
                self.news.notify_all()

    def _keep_mistake(self, message):
        """What went wrong in a page. A refused change is none, and neither is a server that is gone."""
        if message["method"] == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            mistake = details.get("exception", {}).get("description") or details["text"]
        elif message["method"] == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] != "error" or entry["source"] == "network":
                return
            mistake = entry["text"]
        else:
            return
        self.mistakes.setdefault(message.get("sessionId"), []).append(mistake)

    def call(self, method, session=None, **parameters):
        return self.answer(self.ask(method, session, **parameters))

    def ask(self, method, session=None, **parameters):
        """Sends a command. Returns what answer() waits for."""
        with self.news:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return number, method

    def answer(self, asked):
        number, method = asked
        with self.news:
            if not self.news.wait_for(lambda: number in self.replies, PATIENCE):
                raise Failure(f"{method} was not answered.")
            reply = self.replies.pop(number)
        if "error" in reply:
            raise Failure(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def page(self, width=800, height=900, dark=False, script=True, language=None, zoom=1, forced=False):
        return Page(self, width, height, dark, script, language, zoom, forced)

    def close(self):
        try:
            self.call("Browser.close")
        except (Failure, OSError):
            pass
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


class Page:
    """A tab."""

    def __init__(self, browser, width, height, dark, script, language, zoom, forced):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        self.size(width, height, zoom)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                            {"name": "forced-colors", "value": "active" if forced else "none"}])
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        if language:
            self.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def tap(self, x, y):
        """With a finger."""
        # Not one after the other: a finger that stays for half a second, as on a machine that stalls, is no tap.
        start = self.browser.ask(
            "Input.dispatchTouchEvent", self.session, type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.browser.answer(start)

    def size(self, width, height=900, zoom=1):
        """A window of this size; zoomed in, the page has less room and larger pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width // zoom, height=height // zoom,
                  deviceScaleFactor=zoom, mobile=width < 500)
        if width < 500:
            # A phone has a finger, which does not hover.
            self.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)

    def go(self, url):
        with self.browser.news:
            self.browser.events.clear()
        # The document before it may still be loading, and its event come late.
        loader = self.call("Page.navigate", url=url)["loaderId"]
        self.event("Page.lifecycleEvent", name="load", loaderId=loader)

    def loaded(self):
        self.event("Page.loadEventFired")

    def event(self, method, **parameters):
        """Waits for an event with these parameters, which may have come already."""
        with self.browser.news:
            def there():
                return any(e["method"] == method and e.get("sessionId") == self.session
                           and parameters.items() <= e["params"].items() for e in self.browser.events)
            if not self.browser.news.wait_for(there, PATIENCE):
                raise Failure(f"There was no {method} {parameters or ''}.")

    def forget_events(self):
        with self.browser.news:
            self.browser.events.clear()

    def run(self, code):
        """The value of an expression. The protocol runs it also where the page's own scripts are off."""
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{code}: {result['exceptionDetails']['exception'].get('description')}")
        return result["result"].get("value")

    def until(self, code, what):
        """Waits until an expression is true."""
        end, last = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            try:
                value = self.run(code)
                if value:
                    return value
            except Failure as failure:
                # The page may be on its way to another one.
                last = failure
            time.sleep(0.02)
        raise Failure(f"Never seen: {what} ({code})" + (f"; the last error: {last}" if last else ""))

    def place(self, selector):
        """The middle of an element, brought into view."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null;"
            "e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        if not box:
            raise Failure(f"There is no {selector}.")
        return box

    def click(self, selector):
        self.release(self.press(selector))

    def press(self, selector):
        """Presses the mouse, without a release, once nothing moves: the answer to an earlier change may just move the page."""
        self.until("document.querySelector('form[data-sending]') === null", "the answers to all changes")
        earlier, place = None, self.place(selector)
        end = time.monotonic() + 2
        while place != earlier and time.monotonic() < end:
            time.sleep(0.03)
            earlier, place = place, self.place(selector)
        x, y = place
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        return x, y

    def release(self, place):
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=place[0], y=place[1], button="left", clickCount=1)

    def focus(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")

    def type(self, selector, text):
        """Replaces what an input has, as a person does."""
        self.focus(selector)
        self.run("document.activeElement.select && document.activeElement.select()")
        self.key("Delete", 46)
        self.call("Input.insertText", text=text)

    def key(self, name, code, text=None, shift=False):
        for kind in ("keyDown", "keyUp"):
            more = {"text": text} if text and kind == "keyDown" else {}
            if shift:
                more["modifiers"] = 8
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **more)

    def tab(self, back=False):
        self.key("Tab", 9, shift=back)

    def enter(self):
        self.key("Enter", 13, "\r")

    def names(self):
        """The roles and names of everything that can be operated, as a screen reader has them."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        roles = {"button", "checkbox", "combobox", "link", "listbox", "radio", "searchbox", "slider", "spinbutton",
                 "switch", "textbox", "Date", "DateTime"}
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored") and node.get("role", {}).get("value") in roles]

    def errors(self):
        """All since the page was opened."""
        with self.browser.news:
            return self.browser.mistakes.get(self.session, [])

    def shot(self, file):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip={
            "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        with open(file, "wb") as output:
            output.write(base64.b64decode(picture["data"]))

    def close(self):
        mistakes = self.errors()
        self.browser.call("Target.closeTarget", targetId=self.target)
        if mistakes:
            raise Failure(f"A page had mistakes: {mistakes}")
