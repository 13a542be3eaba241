/// The panel's one script. The page works without it; with it, changes are saved as they are made and shown as they come.
enum PanelScript {
    static let text = """
        "use strict";
        (() => {
        \(page)
        \(forms)
        \(patches)
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

        // The value of a slider beside it.
        function update(scope) {
          for (const slider of scope.querySelectorAll("input[type=range]")) {
            const output = slider.parentElement.querySelector("output");
            const number = Number(slider.value);
            if (output) output.value = Number.isFinite(number) ? String(Number(number.toPrecision(6))) : slider.value;
          }
        }
        // The mark that the program has told of last, by form. A form that is not as the program has made it has none.
        const told = new Map();
        for (const form of document.querySelectorAll("form.control")) told.set(form.id, form.dataset.mark);
        update(document);

        // Between the press of a button and its release, the button must stay.
        let isPressed = false, later = [];
        function whenReleased(act) { if (isPressed) later.push(act); else act(); }
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
