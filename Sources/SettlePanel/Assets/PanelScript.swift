/// The panel's one script. The page works without it; with it, changes are saved as they are made and shown as they come.
enum PanelScript {
    static let text = """
        "use strict";
        (() => {
        \(page)
        \(forms)
        \(sending)
        \(events)
        })();
        """

    /// Sentences at the lower edge, and forms as they come from the program.
    private static let page = """
        const root = document.documentElement, body = document.body;
        root.classList.add("script");

        const status = document.getElementById("status");
        let hiding;
        function tell(text, stays, language) {
          if (!status || !text) return;
          status.textContent = text;
          status.lang = language || root.lang;
          status.classList.add("shown");
          clearTimeout(hiding);
          if (!stays) hiding = setTimeout(hush, 2500);
        }
        function hush() { status.classList.remove("shown"); }

        function parsed(html) {
          const template = document.createElement("template");
          template.innerHTML = html;
          return template.content;
        }
        function formIn(html) { return parsed(html).querySelector("form.control"); }

        // A form as the program has made it, without its place in the history: that differs after each change of anything.
        const looks = new WeakMap();
        function lookOf(form) { return form.outerHTML.replace(/(name="token" value=)"[^"]*"/, "$1"); }

        // The value of a slider beside it.
        function update(scope) {
          for (const slider of scope.querySelectorAll("input[type=range]")) {
            const output = slider.parentElement.querySelector("output");
            const number = Number(slider.value);
            if (output) output.value = Number.isFinite(number) ? String(Number(number.toPrecision(6))) : slider.value;
          }
        }
        // The look that the program has told of last, by form.
        const told = new Map();
        for (const form of document.querySelectorAll("form.control")) {
          looks.set(form, lookOf(form));
          told.set(form.id, looks.get(form));
        }
        update(document);

        // Between the press of a button and its release, the button must stay.
        let isPressed = false, later = [];
        function release() {
          if (!isPressed) return;
          isPressed = false;
          // The click comes after the release.
          setTimeout(() => { for (const act of later.splice(0)) act(); }, 0);
        }
        // A menu takes the release for itself.
        document.addEventListener("pointerdown", (event) => { isPressed = !event.target.closest("select"); }, true);
        document.addEventListener("pointermove", (event) => { if (event.buttons === 0) release(); }, true);
        for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, release, true);
        window.addEventListener("blur", release);
        """
}
