extension PanelScript {
    /// How forms are sent: one after the other, until each is answered.
    static let sending = """
        // The session has ended. What is typed stays on the page.
        function end() { tell(body.dataset.ended, true); }

        let waiting = Promise.resolve();
        // What goes on its way when the page is left.
        let underway = null;
        function send(form, button) {
          const data = new URLSearchParams(new FormData(form, button && button.name ? button : null));
          if (!data.has("action")) data.set("action", "save");
          const id = form.id, earlier = pending.get(id);
          // The Return key both changes and submits.
          if (earlier && earlier.toString() === data.toString()) return;
          const place = form.getAttribute("action");
          pending.set(id, data);
          form.dataset.sending = "";
          delete form.dataset.typing;
          // Entries get other numbers, so nobody can use the present ones.
          if (data.get("action") !== "save" || data.get("newPart")) {
            left.set(id, document.activeElement);
            form.inert = true;
          }
          waiting = waiting.then(async () => {
            for (const [name, value] of places.get(id) || []) data.set(name, value);
            await deliver(id, place, data);
          });
        }

        async function deliver(id, action, data, attempt = 0) {
          let response, text;
          const isSmall = data.toString().length < 30000;
          try {
            underway = isSmall && attempt === 0 ? data : null;
            // The browser sends it also if the page is left, up to a size.
            response = await fetch(action, { method: "POST", body: data, headers: { "X-Settle-Fragment": "1" },
              redirect: "manual", keepalive: isSmall });
            text = await response.text();
          } catch {
            underway = null;
            tell(body.dataset.unreachable, true);
            await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** attempt, 10000)));
            return deliver(id, action, data, attempt + 1);
          }
          const isLast = pending.get(id) === data, form = document.getElementById(id), answer = formIn(text);
          if (isLast) pending.delete(id);
          if (form && isLast) { delete form.dataset.sending; form.inert = false; }
          if (answer) {
            if (response.ok) places.set(id, ["token", "seen"].map((name) => [name, fieldIn(answer, name).value]));
            // News that came before the answer may be newer than it is.
            const isOld = response.ok && isLast && form?.dataset.stale !== undefined && told.get(id) !== answer.dataset.mark;
            show(answer, response.ok ? "stored" : "refused");
            if (isOld) refresh(document.getElementById(id));
            if (response.ok && !response.headers.has("X-Settle-Unchanged")) tell(body.dataset.saved);
            else if (attempt > 0) hush();
          } else {
            // It is not stored, so it stays.
            if (form) form.dataset.typing = "";
            const alert = parsed(text).querySelector("[role=alert]");
            if (response.status === 401) end();
            else if (alert) tell(alert.textContent, true, alert.querySelector("[lang]")?.lang);
            else tell(text, true, "en");
          }
          renew();
        }

        function isReadable(form) {
          const wrong = [...form.elements].find((part) => part.validity && part.validity.badInput);
          if (wrong) {
            wrong.setAttribute("aria-invalid", "true");
            delete form.dataset.mark;
            tell(wrong.validationMessage);
          }
          return !wrong;
        }
        // A date changes with each of its parts; it is whole when it is left.
        function isDate(part) { return part.type === "datetime-local"; }

        document.addEventListener("change", (event) => {
          const form = event.target.closest("form.control");
          if (!form || event.target.closest(".new") || isDate(event.target)) return;
          if (isReadable(form)) send(form, null);
        });
        document.addEventListener("submit", (event) => {
          const form = event.target.closest("form.control");
          if (!form) return;
          event.preventDefault();
          send(form, event.submitter);
        });
        document.addEventListener("focusout", (event) => {
          const form = event.target.closest && event.target.closest("form.control");
          if (!form || form.inert) return;
          const isTyped = form.dataset.typing !== undefined && differs(form);
          if (isDate(event.target) && isTyped && !event.target.closest(".new") && isReadable(form)) send(form, null);
          if (!form.contains(event.relatedTarget)) settle(form);
        });
        window.addEventListener("beforeunload", (event) => {
          const isTyped = document.querySelector("form.control[data-typing]") !== null;
          if (isTyped || [...pending.values()].some((data) => data !== underway)) event.preventDefault();
        });
        """
}
