"""Settings by the schema that a program has left: every control that a bundle does not have, and what people do in haste."""

import json
import os
import time

import layout
from chromium import Chromium
from panel import Server, control, enter, must

DOMAIN = "com.example.declared"
HEADLINE = "A count that people change now and then, within its limits"


def schema(folder):
    def array(items):
        return {"type": "array", "items": items}

    settings = {
        "count": {"type": "integer", "minimum": 0, "maximum": 20, "default": 3, "x-type": "Int", "title": "Count",
                  "description": HEADLINE, "x-unit": "times"},
        "limit": {"type": ["integer", "null"], "x-type": "Int?"},
        "ratio": {"type": ["number", "null"], "minimum": 0, "maximum": 1, "x-type": "Double?"},
        "volume": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "x-type": "Double"},
        "since": {"type": "string", "format": "date-time", "x-type": "Date"},
        "timeout": {"type": "string", "default": "30s", "x-type": "Duration"},
        "isEager": {"type": ["boolean", "null"], "x-type": "Bool?"},
        "level": {"type": "string", "enum": ["debug", "info", "error"], "default": "info", "x-type": "Level"},
        "note": {"type": "string", "default": "", "x-type": "String"},
        "tags": {**array({"type": "string"}), "default": [], "x-type": "[String]"},
        "levels": {**array({"type": "string", "enum": ["low", "high"], "enumDescriptions": ["Quiet", "Loud"]}),
                   "default": [], "x-type": "[Level]"},
        "ports": {"type": "object", "additionalProperties": {"type": "integer"}, "default": {}, "x-type": "[String: Int]"},
        "anything": {"default": None, "x-type": "JSON"},
    }
    inner = {"deep": {"type": "boolean", "default": False, "x-type": "Bool"}}
    os.makedirs(folder)
    with open(f"{folder}/settings.schema.json", "w") as file:
        json.dump({"type": "object", "properties": {**settings, "inner": {"properties": inner}}}, file)
    with open(f"{folder}/settings.json", "w") as file:
        json.dump({"since": "2026-01-02T10:00:00Z", "limit": 5}, file)
    os.chmod(f"{folder}/settings.json", 0o600)


class Form:
    """A control of a page."""

    def __init__(self, page, key):
        self.page, self.selector = page, control(key)

    def __getitem__(self, rest):
        return f"{self.selector} {rest}"

    def run(self, code):
        return self.page.run(f"(form => {code})(document.querySelector({json.dumps(self.selector)}))")

    def until(self, code, what):
        self.page.until(f"(form => {code})(document.querySelector({json.dumps(self.selector)}))", what)

    def answered(self):
        self.until("form.dataset.sending === undefined && form.dataset.typing === undefined", "an answer")

    def alert(self):
        self.until("form.querySelector('[role=alert]') !== null", "a reason")
        return self.run("form.querySelector('[role=alert]').textContent")

    def type(self, text, rest="[name=value]"):
        self.page.type(self[rest], text)


def slow(page):
    """Answers take their time, and are counted."""
    page.run("""(() => {
      const plain = window.fetch;
      window.sent = 0;
      window.wait = 0;
      window.lose = false;
      window.fetch = async (...request) => {
        if (request[1] && request[1].method === "POST") window.sent += 1;
        const response = await plain(...request);
        if (window.wait) await new Promise((resolve) => setTimeout(resolve, window.wait));
        if (window.lose) { window.lose = false; throw new TypeError("The answer is lost."); }
        return response;
      };
    })()""")


def numbers(page, server):
    count, limit, ratio = Form(page, "count"), Form(page, "limit"), Form(page, "ratio")
    count.type("9")
    page.tab()
    server.stores("count", 9)
    # What the browser can't read is no empty field.
    limit.type("1e")
    page.tab()
    limit.until("form.querySelector('[aria-invalid=true]') !== null", "a mark at what is no number")
    server.keeps("limit", 5)
    limit.type("17")
    page.tab()
    server.stores("limit", 17)
    limit.answered()
    limit.type("")
    page.tab()
    server.stores("limit", None)
    must("limit" in server.values(), "An empty field of an optional setting is not null.")
    ratio.type(".5")
    page.tab()
    server.stores("ratio", 0.5)
    must(ratio.run("form.querySelector('[type=range]') === null"), "A slider for what need not be there.")
    page.focus(Form(page, "volume")["[name=value]"])
    page.key("Home", 36)
    server.stores("volume", 0)


def times(page, server):
    since, timeout = Form(page, "since"), Form(page, "timeout")
    page.focus(since["[name=value]"])
    before = page.run("window.sent")
    for digit in "03042027":
        page.key(digit, ord(digit), digit)
    must(page.run("window.sent") == before, "A date is sent before it is left.")
    must(page.run(f"document.activeElement.matches({json.dumps(since['input'])})"), "A date loses the focus.")
    page.focus(timeout["[name=value]"])
    server.stores("since", "2027-03-04T10:00:00Z")
    since.answered()
    must(page.run("window.sent") == before + 1, "A date is sent more than once.")
    timeout.type("1m30s")
    page.tab()
    server.stores("timeout", "90s")


def choices(page, server):
    page.click(Form(page, "level")["label:nth-child(3) input"])
    server.stores("level", "error")
    page.click(Form(page, "isEager")["label:nth-child(2) input"])
    server.stores("isEager", False)
    Form(page, "isEager").answered()
    page.click(Form(page, "isEager")["label:nth-child(3) input"])
    server.stores("isEager", None)


def lists(page, server):
    tags = Form(page, "tags")
    tags.type("a", "[name=newPart]")
    page.click(tags["button[value=add]"])
    server.stores("tags", ["a"])
    for name, stored in (("b", ["a", "b"]), ("c", ["a", "b", "c"])):
        tags.until(f"form.querySelectorAll('[name=part]').length === {len(stored) - 1}", "an entry")
        tags.type(name, "[name=newPart]")
        page.enter()
        server.stores("tags", stored)
    tags.until("form.querySelectorAll('[name=part]').length === 3", "three entries")
    # The press of the button takes the focus from what was typed, which saves it; then the button is still there.
    tags.type("A", ".part:nth-child(1) [name=part]")
    place = page.press(tags["button[value='up 2']"])
    server.stores("tags", ["A", "b", "c"])
    tags.until("form.dataset.sending === undefined", "an answer")
    page.release(place)
    server.stores("tags", ["A", "c", "b"])
    tags.answered()
    # Who types on keeps what is typed, when the answer comes, and the focus.
    page.run("window.wait = 700")
    tags.type("x", ".part:nth-child(1) [name=part]")
    page.focus(tags[".part:nth-child(2) [name=part]"])
    server.stores("tags", ["x", "c", "b"])
    page.call("Input.insertText", text="yz")
    page.run("window.wait = 0")
    tags.until("form.dataset.sending === undefined", "an answer")
    must(page.run("document.activeElement.value") in ("cyz", "yzc", "yz"), "An answer has replaced what was typed.")
    typed = page.run("document.activeElement.value")
    page.tab()
    server.stores("tags", ["x", typed, "b"])
    tags.answered()
    page.click(tags["button[value='remove 1']"])
    server.stores("tags", ["x", "b"])
    levels = Form(page, "levels")
    titles = levels.run("[...form.querySelectorAll('[name=newPart] option')].map(option => option.textContent)")
    must(titles == ["Quiet", "Loud"], f"A menu of an entry has {titles}.")
    page.click(levels["button[value=add]"])
    server.stores("levels", ["low"])
    levels.until("form.querySelectorAll('[name=part]').length === 1", "an entry")
    page.focus(levels["[name=part]"])
    page.key("ArrowDown", 40)
    server.stores("levels", ["high"])


def dictionaries(page, server):
    ports, anything = Form(page, "ports"), Form(page, "anything")
    ports.type("web", "[name=newName]")
    ports.type("80", "[name=newPart]")
    page.click(ports["button[value=add]"])
    server.stores("ports", {"web": 80})
    ports.until("form.querySelectorAll('[name=part]').length === 1", "an entry")
    ports.type("81", "[name=part]")
    page.tab()
    server.stores("ports", {"web": 81})
    ports.answered()
    page.click(ports["button[value='remove 0']"])
    server.stores("ports", {})
    anything.type('{"a": [1, null]}', "textarea")
    page.tab()
    server.stores("anything", {"a": [1, None]})
    anything.answered()
    anything.type("{", "textarea")
    page.tab()
    must("JSON" in anything.alert(), "A refused JSON has another reason.")
    must(anything.run("form.querySelector('textarea').value") == "{", "What was refused is gone.")
    page.click(anything["[data-leave]"])
    anything.until("form.querySelector('[role=alert]') === null", "what is there")
    must('"a"' in anything.run("form.querySelector('textarea').value"), "What is there is not shown.")


def haste(page, server):
    """What is refused or being typed stays; what was stored is no conflict; what others do shows again."""
    count, note = Form(page, "count"), Form(page, "note")
    count.type("99")
    page.tab()
    must("to 20" in count.alert(), "A refused number has another reason.")
    other = page.browser.page()
    page.until("document.visibilityState === 'hidden'", "a page that nobody sees")
    server.write("note", "-string", "from outside")
    page.browser.call("Target.activateTarget", targetId=page.target)
    other.close()
    note.until("form.elements.value.value === 'from outside'", "a change of another process")
    must(count.run("form.elements.value.value") == "99", "What was refused is gone.")
    must("to 20" in count.alert(), "The reason is gone.")
    count.type("12")
    page.tab()
    server.stores("count", 12)
    # Typed and taken back.
    page.focus(note["[name=value]"])
    page.run("document.activeElement.setSelectionRange(99, 99)")
    page.call("Input.insertText", text="x")
    server.write("note", "-string", "meanwhile")
    note.until("form.dataset.stale !== undefined", "a stale field")
    page.key("Backspace", 8)
    page.focus(count["[name=value]"])
    note.until("form.elements.value.value === 'meanwhile'", "what others have done")
    # The answer is lost, and the change is sent again.
    note.answered()
    page.run("window.lose = true")
    note.type("sent twice")
    page.enter()
    page.until("!window.lose", "a lost answer")
    note.answered()
    must(note.run("form.querySelector('[role=alert]') === null"), "A lost answer is a conflict with oneself.")
    server.keeps("note", "sent twice")


def parting(page, server):
    """Who leaves is asked; who has no session any more keeps what was typed."""
    note = Form(page, "note")
    note.type("not sent")
    page.forget_events()
    page.run("setTimeout(() => location.assign('/'), 0)")
    page.event("Page.javascriptDialogOpening")
    page.call("Page.handleJavaScriptDialog", accept=False)
    must(note.run("form.elements.value.value") == "not sent", "What was typed is gone.")
    page.call("Network.clearBrowserCookies")
    note.type("too late")
    page.tab()
    page.until("document.getElementById('status').textContent.includes('session has ended')", "the end of the session")
    note.until("form.dataset.sending === undefined", "an answer")
    must(note.run("form.elements.value.value") == "too late", "What was typed is gone with the session.")
    must(server.values().get("note") != "too late", "A browser without a session has changed something.")


def over_all(page, base):
    """The front page searches all programs, as one types."""
    page.go(base + "/")
    page.type("header input[name=q]", "count")
    page.until("document.querySelector('main a.pane[href$=\"#c-count\"] mark') !== null", "a result of the front page")
    must(page.run("document.activeElement.name") == "q", "A search takes the focus.")
    page.close()


def named(page, base):
    for place, count in (("/", 40), ("/pane?id=inner", 4), ("/why?key=count", 5), ("/reset", 4), ("/search?q=t", 10)):
        page.go(base + place)
        names = page.names()
        nameless = [role for role, name in names if not name.strip()]
        must(not nameless and len(names) >= count, f"{place}: {nameless} of {names}")


def check(program, home, shots):
    schema(f"{home}/.config/{DOMAIN}")
    server = Server(program, home, [], DOMAIN)
    browser = Chromium()
    base = f"http://127.0.0.1:{server.port}/settings/of/domain%3A{DOMAIN}"
    try:
        page = enter(browser, server)
        must(DOMAIN in page.run("document.querySelector('main').textContent"), "The front page does not list a domain.")
        must(all(name.strip() for _, name in page.names()), "The front page has something without a name.")
        page.go(base + "/")
        slow(page)
        for name, step in (
            ("numbers", numbers), ("dates and durations", times), ("choices", choices), ("lists", lists),
            ("dictionaries and JSON", dictionaries), ("what people do in haste", haste),
        ):
            start = time.monotonic()
            step(page, server)
            print(f"ok  {name} ({time.monotonic() - start:.1f} s)", flush=True)
        conflict(page, server)
        named(browser.page(), base)
        print("ok  conflicts and names", flush=True)
        layout.sizes(browser, base, ("/", "/search?q=t", "/search?changed=1"), shots, "declared")
        print("ok  sizes", flush=True)
        over_all(browser.page(), f"http://127.0.0.1:{server.port}/settings")
        browser.call("Target.activateTarget", targetId=page.target)
        parting(page, server)
        print("ok  leaving, and the end of a session", flush=True)
        page.close()
    finally:
        browser.close()
        if server.process.poll() is None:
            server.stop()


def conflict(page, server):
    """Both values are shown and have names, and what is there can be kept without loading the page again."""
    note = Form(page, "note")
    page.run("window.isSamePage = true")
    page.focus(note["[name=value]"])
    page.call("Input.insertText", text="!")
    server.write("note", "-string", "theirs")
    note.until("form.dataset.stale !== undefined", "a stale field")
    page.enter()
    must("theirs" in note.alert(), "A conflict does not show what is there.")
    must(all(name.strip() for _, name in page.names()), "A conflict has something without a name.")
    page.click(note["[data-leave]"])
    note.until("form.querySelector('[role=alert]') === null", "what is there")
    must(note.run("form.elements.value.value") == "theirs", "What is there is not shown.")
    must(page.run("window.isSamePage") is True, "The page was loaded again.")
    server.write("note", "-string", "sent twice")
    note.until("form.elements.value.value === 'sent twice'", "a change of another process")
