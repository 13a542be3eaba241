extension PanelScript {
    /// News that change a form in place.
    static let patches = """
        // Two names of one animation: with the other one it begins anew, without a layout in between.
        function flash(form) {
          const names = form.classList;
          if (!names.replace("fresh", "again") && !names.replace("again", "fresh")) names.add("fresh");
        }

        // News of what is other in a form than in the one before.
        function change(news) {
          if (isPressed) { later.push(() => change(news)); return; }
          const form = document.getElementById(news.id);
          if (!form) return;
          // One that is refused has another mark.
          if (form.getAttribute("data-mark") === news.from && news.from !== news.to && !isTyped(form)) {
            if (apply(form, news)) flash(form); else refresh(form);
          } else if (!keeps(form, news.to, news.token, news.seen)) refresh(form);
        }

        // Does nothing to a form that has other parts than the program has made, such as those of a translator.
        function apply(form, news) {
          const inner = form.getElementsByTagName("*"), parts = {};
          for (const [place] of news.changes) parts[place] = place === 0 ? form : inner[place - 1];
          const isText = (part, child) => part.tagName === "TEXTAREA" || part.childNodes[child]?.nodeType === Node.TEXT_NODE;
          if (inner.length + 1 !== news.elements) return false;
          if (!news.changes.every(([place, what]) => typeof what === "string" || isText(parts[place], what))) return false;
          const active = document.activeElement, caret = form.contains(active) ? caretOf(active) : null;
          for (const [place, what, value] of news.changes) {
            const part = parts[place];
            if (part.tagName === "TEXTAREA" && typeof what === "number") {
              // As everywhere in HTML, the first line break of the contents is none.
              part.defaultValue = value.replace(/^\\n/, "");
              part.value = part.defaultValue;
            } else if (typeof what === "number") part.childNodes[what].data = value;
            else if (value === null) part.removeAttribute(what);
            else part.setAttribute(what, value);
          }
          // What a person has operated does not follow its attributes any more. After all of them, as one may limit another.
          for (const [place, what, value] of news.changes) {
            const part = parts[place];
            if (what === "value" && part.tagName === "INPUT" && part.value !== value) part.value = value;
            else if (what === "checked" || what === "selected") part[what] = value !== null;
          }
          if (caret) active.setSelectionRange(...caret);
          fieldIn(form, "token").value = news.token;
          fieldIn(form, "seen").value = news.seen;
          form.setAttribute("data-mark", news.to);
          places.delete(form.id);
          left.delete(form.id);
          if (Object.values(parts).some((part) => part.type === "range")) update(form);
          return true;
        }

        // Forms that are being asked for, and whether to ask again.
        const asked = new Map();
        // Shows a form as it is now. What comes meanwhile may be newer than the answer, so then it asks once more.
        async function refresh(form) {
          const id = form.id;
          if (asked.has(id)) { asked.set(id, true); return; }
          let isDone = true;
          do {
            asked.set(id, false);
            const { mark } = document.getElementById(id).dataset;
            const now = await fetchForm(form);
            await new Promise(whenReleased);
            isDone = now !== null;
            if (document.getElementById(id).dataset.mark !== mark) asked.set(id, true); else show(now, "news");
          } while (isDone && asked.get(id));
          asked.delete(id);
          // Otherwise nothing would tell again.
          if (!isDone && events) listen();
        }
        """
}
