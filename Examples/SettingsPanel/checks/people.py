"""What concerns people: the page that says why a setting has its value, names in the history, and sessions."""

import json
import os
import re
import subprocess
import time

import layout
from chromium import Chromium, Failure
from panel import Server, control, must

DOMAIN = "com.example.people"
# What the program has stored itself.
FIRST = "Welcome"
WAYS = (
    ("a desktop", {"width": 1280}),
    ("a phone", {"width": 375, "language": "de"}),
    ("a phone, without a script", {"width": 375, "script": False}),
    ("from right to left", {"language": "ar"}),
    ("forced colours", {"forced": True}),
    ("200 %", {"width": 1280, "zoom": 2}),
    ("without a script", {"script": False}),
)

GREETING, SOUNDS = control("greeting"), control("sounds")
WHY = f"{GREETING} a.why"
ACTIVE = "document.activeElement"
# What everybody reads of the page: developers' details are closed.
FOR_PEOPLE = """(main => { main.querySelector('details').remove(); return main.textContent; })(
  document.getElementById('main').cloneNode(true))"""
# The lines of the list of sessions: the name, whether it is marked as this browser's, and how its button is called.
SESSIONS = """[...document.querySelectorAll('main ul.history > li')].map((line) => [
  line.querySelector('.change').firstChild.textContent, line.querySelector('.mark') !== null,
  line.querySelector('button').textContent])"""


def element(selector):
    return f"document.querySelector({json.dumps(selector)})"


# --- What a person does.

def is_touched(page):
    return page.run("matchMedia('(hover: none) and (pointer: coarse)').matches")


def is_scripted(page):
    return page.run("document.documentElement.classList.contains('script')")


def point(page, selector):
    x, y = page.place(selector)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)


def press(page, selector):
    """With a finger, or with the mouse."""
    if not is_touched(page):
        page.click(selector)
        return
    page.tap(*page.place(selector))


def reach(page, selector):
    """From one stop of the keyboard to the next, until it is there, where the focus is seen."""
    for _ in range(80):
        page.tab()
        if page.run(f"{ACTIVE}.matches({json.dumps(selector)})"):
            must_show_focus(page, selector)
            return
    raise Failure(f"The keyboard does not reach {selector}.")


def follow(page, selector):
    """To another page: with a finger on a touch screen, otherwise with the keyboard."""
    is_by_keyboard = not is_touched(page)
    if is_by_keyboard:
        reach(page, selector)
    page.forget_events()
    if is_by_keyboard:
        page.enter()
    else:
        press(page, selector)
    page.loaded()


def must_show_focus(page, what):
    must(page.run(f"getComputedStyle({ACTIVE}).outlineStyle") != "none", f"The focus can't be seen: {what}")


def must_be_usable(page, what, room):
    """It fits, and everything has a name."""
    layout.must_fit(page, what, room)
    nameless = [role for role, name in page.names() if not name.strip()]
    must(not nameless, f"{what}: without a name: {nameless}")


def address(server, path=""):
    return f"http://127.0.0.1:{server.port}/settings{path}"


def panel(server, path="/"):
    return address(server, f"/of/domain%3A{DOMAIN}{path}")


# --- Links and names.

def run(program, home, *arguments):
    environment = dict(os.environ, HOME=home)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        environment.pop(name, None)
    done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True)
    must(done.returncode == 0, f"{program} {arguments}: {done.stderr}")
    return done.stdout


def invite(server, name):
    """Another process makes a link for a name, which leads to the page of the domain."""
    text = run(server.program, server.home, "link", DOMAIN, "--for", name, "--port", str(server.port))
    found = re.search(r"http://127\.0\.0\.1:\d+/\S+", text)
    if not found:
        raise Failure(f"There is no link: {text}")
    return found[0]


def let_in(browser, server, name, way):
    """A browser with a link for a name, and the link."""
    page, link = browser.page(**way), invite(server, name)
    # What only looks at a link, such as a mail program, does not use it up.
    for _ in range(2):
        page.go(link)
        must(name in page.run("document.querySelector('main').textContent"), "A link does not say for whom it is.")
    must_be_usable(page, "the page of a link", room(way))
    follow(page, "form[action$='/enter'] button")
    must(page.run("location.pathname").startswith(f"/settings/of/domain%3A{DOMAIN}"), "The link leads elsewhere.")
    must(name in page.run(element("footer > span") + ".textContent"), "The page does not say who is signed in.")
    return page, link


def room(way):
    return way.get("width", 800) // way.get("zoom", 1)


# --- Why a setting has its value.

def change(page, server, text):
    page.type(f"{GREETING} [name=value]", text)
    # Without a script, the Return key leads to another document, which may be empty yet.
    scripted = is_scripted(page)
    page.forget_events()
    page.enter()
    if scripted:
        page.until(f"{element(GREETING)}.dataset.sending === undefined", "an answer")
        must(page.run("performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/set')).length") == 1,
             "The Return key sends a change twice.")
    else:
        page.loaded()
    server.stores("greeting", text)


def info_button(page, server):
    """It is seen where a person is, on a touch screen always, and is one stop of the keyboard."""
    opacity = f"getComputedStyle({element(WHY)}).opacity"
    # Without a fragment, which leads to a setting.
    page.go(panel(server))
    if is_touched(page):
        must(page.run(f"[{opacity}, getComputedStyle({element(SOUNDS + ' a.why')}).opacity].join()") == "1,1",
             "On a touch screen an info button can't be seen.")
        size = page.run(f"(box => Math.min(box.width, box.height))({element(WHY)}.getBoundingClientRect())")
        must(size >= 24, f"The info button is too small for a finger: {size} points")
    else:
        point(page, "h1")
        page.until(f"{opacity} === '0'", "a setting without an info button")
        point(page, f"{GREETING} .title")
        page.until(f"{opacity} === '1'", "the info button of the setting below the pointer")
        point(page, WHY)
        page.until(f"{opacity} === '1'", "the info button below the pointer")
        point(page, "h1")
        page.until(f"{opacity} === '0'", "a setting without an info button")
    page.focus(f"{SOUNDS} input.switch")
    reach(page, WHY)
    must(page.run(opacity) == "1", "The info button can't be seen where the focus is.")
    page.tab()
    must(page.run(f"{ACTIVE}.matches({json.dumps(GREETING + ' [name=value]')})"),
         "The info button is more than one stop of the keyboard.")
    page.tab(back=True)
    must(page.run(f"{ACTIVE} === {element(WHY)}"), "The keyboard does not go back to the info button.")


def reasons(page, author, value, way):
    """First what people ask, then the history, and what only developers ask behind a disclosure."""
    source = page.run(element(".source") + ".textContent")
    must(value in source and author in source and re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", source),
         f"The value, who changed it, or when is missing: {source}")
    must(page.run(element(".source .value") + ".textContent") == value, "The value does not come first.")
    newest = page.run(element("ol.history > li") + ".textContent")
    must(all(part in newest for part in (author, FIRST, value)), f"The history does not say who has changed what: {newest}")
    must(page.run("""['.source', 'ol.history', 'details'].map((name) => document.querySelector(name)).every(
      (part, index, all) => index === 0 || all[index - 1].compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING)
    """), "The page begins with something else.")
    must("settings.json" not in page.run(FOR_PEOPLE), "The page names a file to everybody.")
    disclosure(page)
    must_be_usable(page, "the page of a value", room(way))


def disclosure(page):
    details = element("details")
    table, key = f"{details}.querySelector('table')", f"{details}.querySelector('code')"
    if is_touched(page):
        must(page.run(f"{details}.open") is False, "The details for developers are open.")
        press(page, "summary")
    else:
        reach(page, "summary")
        must(page.run(f"{details}.open") is False and not page.run(f"{table}.checkVisibility()"),
             "The details for developers are open.")
        page.enter()
    page.until(f"{details}.open && {table}.checkVisibility()", "details that are open")
    must(page.run(f"{key}.textContent") == "greeting" and "settings.json" in page.run(f"{table}.textContent"),
         "The details have no key, or no file.")


def why(page, server, name, what, way):
    text = f"Hello from {what}"
    change(page, server, text)
    info_button(page, server)
    page.forget_events()
    if is_touched(page):
        press(page, WHY)
    else:
        page.enter()
    page.loaded()
    reasons(page, name, text, way)
    # Back to the older value, and to the setting.
    follow(page, "ol.history > li:first-child button")
    server.stores("greeting", FIRST)
    must(page.run(element(".source .value") + ".textContent") == FIRST, "The page shows another value than there is.")
    must(name in page.run(element(".source") + ".textContent"), "The page does not say who went back.")
    follow(page, "main nav a")
    must(page.run(f"{element(GREETING)}.matches(':target')"), "The way back does not lead to the setting.")
    must(page.run(f"{element(GREETING)}.elements.value.value") == FIRST, "The setting has another value than there is.")
    must(page.run(f"getComputedStyle({element(WHY)}).opacity") == "1", "The way back does not show where it came from.")


# --- Sessions.

def other_author(page, own, server, value):
    """What one person changes has that name for another one."""
    press(page, f"{SOUNDS} input.switch")
    if not is_scripted(page):
        page.forget_events()
        press(page, f"{SOUNDS} .save")
        page.loaded()
    server.stores("sounds", value)
    own.go(panel(server, "/why?key=sounds"))
    for part in (".source", "ol.history > li"):
        text = own.run(element(part) + ".textContent")
        must("dave" in text and "carol" not in text, f"The change of another person has another author: {text}")


def must_be_out(page, server):
    for path in (panel(server), panel(server, "/why?key=greeting"), address(server, "/sessions")):
        page.go(path)
        must(page.run("document.querySelector('body.entrance form, form.control, footer') === null")
             and FIRST not in page.run("document.body.textContent"), f"Somebody without a session sees {path}.")
        must(page.run("document.querySelector('body.entrance h1') !== null"), f"There is no reason at {path}.")


def refused(page, server, browser, way):
    """The next request of a session that has been ended is refused, and changes nothing."""
    page.type(f"{GREETING} [name=value]", "too late")
    scripted = is_scripted(page)
    page.forget_events()
    page.enter()
    if scripted:
        page.until(f"{element('#status.shown')}?.textContent === document.body.dataset.ended", "the end of the session")
        page.until(f"{element(GREETING)}.dataset.sending === undefined", "an answer")
        must(page.run(f"{element(GREETING)}.elements.value.value") == "too late", "What was typed is gone.")
    else:
        page.loaded()
        must(page.run("document.querySelector('body.entrance') !== null"), "An ended session gets a page.")
    server.keeps("greeting", FIRST)
    page.close()
    page = browser.page(**way)
    must_be_out(page, server)
    page.close()


def sessions(page, other, server, browser, way):
    """The list has each session with its name; one ends another, and then itself."""
    follow(page, "footer a[href$='/sessions']")
    must_be_usable(page, "the list of sessions", room(way))
    lines = page.run(SESSIONS)
    must(sorted(line[:2] for line in lines) == [["carol", True], ["dave", False]], f"The list of sessions is {lines}.")
    must(all(name in button for name, _, button in lines), f"A button does not say whose session it ends: {lines}")
    line = [name for name, _, _ in lines].index("dave") + 1
    follow(page, f"main ul.history > li:nth-child({line}) button")
    lines = page.run(SESSIONS)
    must([line[:2] for line in lines] == [["carol", True]], f"After the end of one, the list of sessions is {lines}.")
    refused(other, server, browser, way)
    # The one who has ended it continues.
    page.go(panel(server))
    must(page.run(f"{element(GREETING)} !== null"), "The end of one session is that of another.")


def sign_out(page, server, link, way):
    follow(page, "footer form button")
    must(page.run("document.querySelector('body.entrance h1') !== null"), "There is no page about the end.")
    must_be_usable(page, "the page about the end", room(way))
    must_be_out(page, server)
    page.go(link)
    must(page.run("document.querySelector('form') === null"), "A link lets in again.")


def check(program, home, shots):
    home = f"{home}/people"
    os.makedirs(home)
    run(os.path.join(os.path.dirname(os.path.abspath(program)), "panel-people"), home, DOMAIN)
    server = Server(program, home, [DOMAIN], DOMAIN)
    carols, daves = Chromium(), Chromium()
    try:
        for number, (what, way) in enumerate(WAYS):
            start = time.monotonic()
            page, link = let_in(carols, server, "carol", way)
            other, _ = let_in(daves, server, "dave", way)
            why(page, server, "carol", what, way)
            other_author(other, page, server, value=number % 2 == 1)
            sessions(page, other, server, daves, way)
            sign_out(page, server, link, way)
            page.close()
            print(f"ok  info buttons, names and sessions: {what} ({time.monotonic() - start:.1f} s)", flush=True)
        page, _ = let_in(carols, server, "carol", {})
        layout.sizes(carols, address(server), (f"/of/domain%3A{DOMAIN}/why?key=greeting", "/sessions"), shots, "people")
        page.close()
        print("ok  sizes", flush=True)
    finally:
        carols.close()
        daves.close()
        if server.process.poll() is None:
            server.stop()
