"""Changes of others that a page follows in place: what has been operated, is typed, has the focus, or is held down."""

import json
import os
import time

from chromium import Chromium
from declared import Form
from panel import Server, enter, must

DOMAIN = "com.example.followed"


def schema(folder):
    settings = {
        "loud": {"type": "boolean", "x-type": "Bool"},
        "name": {"type": "string", "default": "", "x-type": "String"},
        "count": {"type": "integer", "minimum": 0, "maximum": 99, "default": 3, "x-type": "Int"},
        "volume": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "x-type": "Double"},
        "since": {"type": "string", "format": "date-time", "x-type": "Date"},
        "level": {"type": "string", "enum": ["debug", "info", "error"], "x-type": "Level"},
        "colour": {"type": "string", "enum": ["red", "green", "blue", "black", "white"], "default": "red", "x-type": "Colour"},
        "text": {"type": "string", "default": "a\nb", "x-type": "String"},
        "tags": {"type": "array", "items": {"type": "string"}, "default": [], "x-type": "[String]"},
        "levels": {"type": "array", "items": {"type": "string", "enum": ["low", "high"]}, "default": [],
                   "x-type": "[Level]"},
        "ports": {"type": "object", "additionalProperties": {"type": "string"}, "default": {}, "x-type": "[String: String]"},
        "password": {"type": "string", "writeOnly": True, "x-secret": True, "x-type": "Secret<String>"},
    }
    os.makedirs(folder)
    with open(f"{folder}/settings.schema.json", "w") as file:
        json.dump({"type": "object", "properties": settings}, file)
    with open(f"{folder}/settings.json", "w") as file:
        json.dump({"since": "2026-01-02T10:00:00Z", "tags": ["a", "b"], "levels": ["low", "low"], "ports": {"web": "80"},
                   "password": "first"}, file)
    os.chmod(f"{folder}/settings.json", 0o600)


VALUE = "form.querySelector('[name=value]').value"
PARTS = "[...form.querySelectorAll('[name=part]')].map(part => (part.selectedOptions?.[0].label) ?? part.value).join()"

# How a person operates each control, what that stores, two changes of others, and what the page shows of them.
CONTROLS = [
    ("loud", lambda page, form: page.click(form["input.switch"]), True, ["-bool", "false"], ["-bool", "true"],
     ["-bool", "false"], "form.querySelector('.switch').checked", [False, True, False]),
    ("name", lambda page, form: (form.type("x"), page.tab()), "x", ["-string", "one <b>"], ["-string", "\"two\" & 'three'"],
     VALUE, ["one <b>", "\"two\" & 'three'"]),
    ("count", lambda page, form: (form.type("7"), page.tab()), 7, ["-int", "8"], ["-int", "9"], VALUE, ["8", "9"]),
    ("volume", lambda page, form: (page.focus(form["[name=value]"]), page.key("End", 35)), 1, ["-float", "0.25"],
     ["-float", "0.75"], f"{VALUE} + ' ' + form.querySelector('output').value", ["0.25 0.25", "0.75 0.75"]),
    ("since", lambda page, form: (page.focus(form["[name=value]"]), page.key("ArrowUp", 38),
                                  page.focus("h1 ~ section a")), "2026-02-02T10:00:00Z",
     ["-string", "2027-03-04T11:22:33Z"], ["-string", "2026-01-02T10:00:00Z"], f"{VALUE}.slice(0, 16)",
     ["2027-03-04T11:22", "2026-01-02T10:00"]),
    ("level", lambda page, form: page.click(form["label:nth-child(2) input"]), "info", ["-string", "error"],
     ["-string", "debug"], "form.querySelector(':checked').parentElement.textContent", ["error", "debug"]),
    ("colour", lambda page, form: (page.focus(form["select"]), page.key("g", 71, "g")), "green", ["-string", "white"],
     ["-string", "blue"], "form.querySelector('select').selectedOptions[0].label", ["white", "blue"]),
    ("text", lambda page, form: (form.type("c\nd"), page.tab()), "c\nd", ["-string", "\ne\n"], ["-string", "f\n</textarea>"],
     VALUE, ["\ne\n", "f\n</textarea>"]),
    ("tags", lambda page, form: (form.type("c", ".part:nth-child(2) [name=part]"), page.tab()), ["a", "c"],
     ["-array", "x", "y"], ["-array", "a", "x"], PARTS, ["x,y", "a,x"]),
    ("levels", lambda page, form: (page.focus(form[".part:nth-child(1) [name=part]"]), page.key("ArrowDown", 40)),
     ["high", "low"], ["-array", "low", "high"], ["-array", "low", "low"], PARTS, ["low,high", "low,low"]),
    ("ports", lambda page, form: (form.type("81", "[name=part]"), page.tab()), {"web": "81"}, ["-dict", "file", "82"],
     ["-dict", "web", "83"], f"form.querySelector('[name=name]').value + ' ' + {PARTS}", ["file 82", "web 83"]),
]

# What has been operated, and is as it was before.
OPERATED = """(() => {
  for (const part of form.elements) {
    if (part.type === "checkbox" || part.type === "radio") part.checked = part.checked;
    else if (part.tagName === "SELECT") part.selectedIndex = part.selectedIndex;
    else if (part.type !== "hidden") part.value = part.value;
  }
})()"""

# Animations begin with a frame.
FRAME = "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))"


def every_control(page, server):
    """Each follows two changes in a row after it was operated, in place."""
    for key, operate, stored, *writes, shown, values in CONTROLS:
        form = Form(page, key)
        operate(page, form)
        server.stores(key, stored)
        form.answered()
        for write, value in zip(writes, values, strict=True):
            form.run(OPERATED)
            form.run("{ window.before = form; }")
            server.write(key, *write)
            form.until(f"{shown} === {json.dumps(value)}", f"{key} as {value!r}")
        must(form.run("form === window.before"), f"{key} has been replaced.")
        must(form.run("form.dataset.typing === undefined && form.dataset.stale === undefined"), f"{key} counts as typed.")
        # What is shown is what is sent and compared.
        operate(page, form)
        server.stores(key, stored)
        form.answered()


def focus(page, server):
    """The focus stays where it is, and two changes in a row flash twice."""
    name = Form(page, "name")
    server.write("name", "-string", "long enough")
    name.until(f"{VALUE} === 'long enough'", "a change of another process")
    page.focus(name["input[name=value]"])
    page.run(FRAME)
    page.run("""document.addEventListener("animationstart", (event) => {
      (window.flashes ||= []).push([event.target.dataset.key, event.animationName]);
    })""")
    for text in ("from outside", "from the outside"):
        name.run("{ window.before = document.activeElement; }")
        server.write("name", "-string", text)
        name.until(f"{VALUE} === {json.dumps(text)}", "a change of another process")
        must(page.run("document.activeElement === window.before"), "A change from outside takes the focus.")
        page.run(FRAME)
    page.until("window.flashes?.length === 2", "two flashes")
    flashes = page.run("window.flashes")
    must(sorted(flashes) == [["name", "again"], ["name", "fresh"]], f"Two changes flash as {flashes}.")


def carets(page, server):
    """What is selected of a text stays so, whether somebody has operated it before or not."""
    for key in ("name", "text"):
        form = Form(page, key)
        for is_operated in (False, True):
            server.write(key, "-string", "long enough")
            form.until(f"{VALUE} === 'long enough'", "a change of another process")
            page.forget_events()
            page.call("Page.reload")
            page.loaded()
            page.focus(form["[name=value]"])
            if is_operated:
                form.run(OPERATED)
            for text in ("from outside", "from the outside"):
                page.run("document.activeElement.setSelectionRange(2, 4, 'backward')")
                server.write(key, "-string", text)
                form.until(f"{VALUE} === {json.dumps(text)}", "a change of another process")
                caret = form.run("(({ selectionStart, selectionEnd, selectionDirection }) => "
                                 "[selectionStart, selectionEnd, selectionDirection])(form.elements.value)")
                must(caret == [2, 4, "backward"], f"A change from outside moves the caret of {key} to {caret}.")


def typing(page, server):
    """What is typed stays, both values are shown, and after that the page follows again."""
    name = Form(page, "name")
    page.focus(name["[name=value]"])
    page.run("document.activeElement.setSelectionRange(0, 0)")
    page.call("Input.insertText", text="my ")
    server.write("name", "-string", "theirs")
    name.until("form.dataset.stale !== undefined", "a stale field")
    page.until("document.getElementById('status').textContent.includes('Changed elsewhere')", "a sentence about it")
    must(name.run(VALUE) == "my from the outside", "What is typed is gone.")
    server.write("name", "-string", "theirs again")
    page.enter()
    alert = name.alert()
    must("theirs again" in alert and "my from the outside" in alert, f"A conflict does not show both values: {alert}")
    page.click(name["[data-leave]"])
    name.until(f"form.querySelector('[role=alert]') === null && {VALUE} === 'theirs again'", "what is there")
    follows(name, server)
    # Typed and taken back, with two changes meanwhile that end where they began.
    page.focus(name["[name=value]"])
    page.call("Input.insertText", text="!")
    server.write("name", "-string", "and away")
    name.until("form.dataset.stale !== undefined", "a stale field")
    page.run("JSON.parse = (plain => text => { window.heard = (window.heard || 0) + 1; return plain(text); })(JSON.parse)")
    server.write("name", "-string", "followed twice")
    page.until("window.heard >= 1", "news")
    page.key("Backspace", 8)
    page.focus(Form(page, "count")["[name=value]"])
    name.until(f"form.dataset.stale === undefined && {VALUE} === 'followed twice'", "what is there")
    follows(name, server)
    # Nothing of this is a conflict.
    name.type("mine")
    page.enter()
    server.stores("name", "mine")
    name.answered()


def follows(form, server):
    for text in ("followed once", "followed twice"):
        form.run("{ window.before = form; }")
        server.write("name", "-string", text)
        form.until(f"{VALUE} === {json.dumps(text)}", "a change of another process")
    must(form.run("form === window.before"), "A form is replaced though it fits.")


def held(page, server):
    """Nothing moves below a finger."""
    name, place = Form(page, "name"), page.press("h1")
    before = page.run("window.heard")
    for text in ("held", "held longer"):
        server.write("name", "-string", text)
    page.until(f"window.heard > {before}", "news")
    must(name.run(VALUE) == "mine", "A form changes while the pointer is pressed.")
    page.release(place)
    name.until(f"{VALUE} === 'held longer'", "what has changed meanwhile")


def others(page, server):
    """A form with parts that the program has not made, and one that is asked for in vain, are shown as they are."""
    name = Form(page, "name")
    name.run("form.querySelector('label').replaceChildren(document.createElement('b'), 'Name')")
    server.write("name", "-string", "in spite of a translator")
    name.until(f"{VALUE} === 'in spite of a translator' && !form.querySelector('b')", "a whole form")
    follows(name, server)
    # Taken back after a change meanwhile, so that the page asks for the form.
    page.focus(name["[name=value]"])
    page.call("Input.insertText", text="!")
    server.write("name", "-string", "in spite of a loss")
    name.until("form.dataset.stale !== undefined", "a stale field")
    page.run("""(() => {
      const plain = window.fetch;
      window.fetch = async (...request) => { window.fetch = plain; throw new TypeError("The answer is lost."); };
    })()""")
    page.key("Backspace", 8)
    page.focus(Form(page, "count")["[name=value]"])
    name.until(f"{VALUE} === 'in spite of a loss'", "all forms")
    follows(name, server)


def secrets(page, server):
    """A secret that others have replaced looks the same; who replaces it then is in no conflict."""
    password = Form(page, "password")
    page.run("{ document.getElementById('status').textContent = ''; }")
    before = password.run("form.elements.token.value")
    server.write("password", "-string", "second")
    password.until(f"form.elements.token.value !== {json.dumps(before)}", "the place of another secret")
    password.type("third")
    page.enter()
    page.until("document.getElementById('status').textContent === 'Saved.'", "a saved secret")
    must(password.run("form.querySelector('[role=alert]') === null"), "News of a secret are a conflict.")


def check(program, home):
    schema(f"{home}/.config/{DOMAIN}")
    server = Server(program, home, [], DOMAIN)
    browser = Chromium()
    try:
        page = enter(browser, server)
        page.go(f"http://127.0.0.1:{server.port}/settings/of/domain%3A{DOMAIN}/")
        for name, step in (
            ("two changes of each control", every_control), ("focus and flashes", focus), ("carets", carets),
            ("changes while somebody types", typing), ("changes while the pointer is pressed", held),
            ("changes that don't fit", others), ("changes of secrets", secrets),
        ):
            start = time.monotonic()
            step(page, server)
            print(f"ok  {name} ({time.monotonic() - start:.1f} s)", flush=True)
        page.close()
    finally:
        browser.close()
        if server.process.poll() is None:
            server.stop()
