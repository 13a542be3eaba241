"""What is seen at several widths, enlarged, in forced colours and from right to left, and what a search shows."""

import json

from panel import control, must

# The lines of text of the widest button that is shown: its height without the padding, in line heights.
LINES = """Math.max(0, ...[...document.querySelectorAll('button, .button')].filter((b) => b.getClientRects().length).map((b) => {
  const style = getComputedStyle(b);
  return (b.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom)) / parseFloat(style.lineHeight);
}))"""


def must_fit(page, what, room):
    wide = page.run("document.documentElement.scrollWidth")
    must(wide <= room, f"{what}: the page is {wide} points wide, and there are {room}.")
    lines = page.run(LINES)
    must(lines < 2.5, f"{what}: a button has {lines:.1f} lines.")


def sizes(browser, base, places, shots, name):
    """Desktop and phone, as they are and enlarged to 200 %, in English and in the longest language, with and without a script."""
    for width, zoom, script, language in (
        (360, 1, True, "en"), (375, 1, True, "de"), (375, 1, False, "de"), (750, 2, True, "de"), (1280, 2, False, "en"),
        (800, 1, True, "en"), (1440, 1, True, "en"),
    ):
        page = browser.page(width=width, zoom=zoom, script=script, language=language)
        for place in places:
            page.go(base + place)
            must_fit(page, f"{place} at {width} points and {zoom * 100} %, in {language}", width // zoom)
        page.close()
    if not shots:
        return
    for form, width in (("phone", 375), ("desktop", 1280)):
        for dark in (False, True):
            page = browser.page(width=width, dark=dark)
            for number, place in enumerate(places):
                page.go(base + place)
                page.shot(f"{shots}/{name}-{number}-{form}-{'dark' if dark else 'light'}.png")
            page.close()


def focus(browser, base):
    """The header covers nothing that receives focus, on the way down and back (WCAG 2.2, 2.4.11)."""
    page = browser.page(width=1000, height=600)
    page.go(base + "/")
    must(page.run("getComputedStyle(document.querySelector('header')).position") == "sticky", "The header does not stay.")
    seen = 0
    page.run("[...document.querySelectorAll('main a')].at(-1).focus()")
    for _ in range(30):
        page.tab(back=True)
        gap = page.run("""(() => {
          const part = document.activeElement;
          if (!part.closest("main")) return null;
          const rest = part.getBoundingClientRect().bottom - document.querySelector("header").getBoundingClientRect().bottom;
          return [rest, part.outerHTML.slice(0, 80)];
        })()""")
        if gap is None:
            break
        seen += 1
        must(gap[0] > 0, f"The header covers what has the focus: {gap[1]}")
    must(seen > 10, f"The keyboard has reached only {seen} parts on its way back.")
    page.close()


def forced_colours(browser, base):
    """In forced colours focus has an outline, and a switch shows its state."""
    page = browser.page(forced=True)
    page.go(base + "/")
    must(page.run("matchMedia('(forced-colors: active)').matches"), "The browser does not force colours.")
    colours = page.run("""[...document.querySelectorAll('.switch')].map((part) => [
      part.matches(':checked, [aria-checked=true]'), getComputedStyle(part).backgroundColor])""")
    on, off = ({colour for is_on, colour in colours if is_on == state} for state in (True, False))
    must(on and off and not on & off, f"A switch that is on looks as one that is off: {colours}")
    seen = 0
    for _ in range(20):
        page.tab()
        outline = page.run("""document.activeElement === document.body ? null : [
          getComputedStyle(document.activeElement).outlineStyle, document.activeElement.outerHTML.slice(0, 80)]""")
        if outline:
            seen += 1
            must(outline[0] != "none", f"In forced colours focus can't be seen: {outline[1]}")
    must(seen > 10, f"The keyboard has reached only {seen} parts.")
    page.close()


def right_to_left(browser, base):
    """From right to left, names are at the right of their controls, and chevrons lead to the left."""
    for width in (375, 800):
        page = browser.page(width=width, language="ar")
        page.go(base + "/")
        must(page.run("document.documentElement.dir") == "rtl", "An Arabic page is not from right to left.")
        must_fit(page, f"Arabic, at {width} points", width)
        if width == 800:
            left = page.run(f"""(form => [form.querySelector('.head').getBoundingClientRect().left,
              form.querySelector('.field').getBoundingClientRect().left])(
              document.querySelector({json.dumps(control('sounds'))}))""")
            must(left[0] > left[1], f"A name is not at the right of its control: {left}")
        turned = page.run("getComputedStyle(document.querySelector('.chevron')).transform")
        must(turned.startswith("matrix(-1,"), f"A chevron leads to the right: {turned}")
        page.close()


def search(browser, base):
    """A search shows its results as one types, and the page again when the field is empty; it works without a script."""
    field, sounds, volume = "header input[name=q]", control("sounds"), control("volume")
    page = browser.page()
    page.go(base + "/")
    page.run("window.isSamePage = true")
    page.type(field, "sound")
    page.until(f"document.querySelector({json.dumps(sounds + ' mark')}) !== null", "a marked result")
    must(page.run(f"document.querySelector({json.dumps(volume)}) === null"), "A search shows what it has not found.")
    must(page.run("location.search.includes('q=sound') && document.activeElement.name === 'q'"),
         "A search changes no address, or takes the focus.")
    page.type(field, "nothing like this")
    page.until("document.querySelector('form.control') === null", "a search that finds nothing")
    page.type(field, "")
    page.until(f"document.querySelector({json.dumps(volume)}) !== null", "the page where the search began")
    must(page.run("window.isSamePage") is True, "The page was loaded again.")
    values = page.run(f"fetch({json.dumps(base + '/json?pane=')}).then((answer) => answer.json())")
    must(values.get("sounds") is False and "password" not in values, f"The JSON of the page is {values}.")
    page.close()
    page = browser.page(script=False)
    page.go(base + "/")
    page.type(field, "sound")
    page.forget_events()
    page.enter()
    page.loaded()
    must(page.run(f"document.querySelector({json.dumps(sounds + ' mark')}) !== null"), "Without a script nothing is marked.")
    page.go(base + "/search?changed=1")
    must(page.run(f"document.querySelector({json.dumps(sounds)}) !== null"), "A changed setting is not found.")
    must(page.run(f"document.querySelector({json.dumps(control('edition'))}) === null"), "A default is found as changed.")
    page.close()
