/// The panel's one script. The page works without it; with it, changes are saved as they are made and shown as they come.
enum PanelScript {
    static let text = """
        "use strict";
        (() => {
          const root = document.documentElement, body = document.body;
          root.classList.add("script");

          // Sentences at the lower edge.
          const status = document.getElementById("status");
          let hiding;
          function tell(text, stays) {
            if (!status || !text) return;
            status.textContent = text;
            status.classList.add("shown");
            clearTimeout(hiding);
            if (!stays) hiding = setTimeout(() => status.classList.remove("shown"), 2500);
          }

          function element(html) {
            const template = document.createElement("template");
            template.innerHTML = html;
            return template.content.firstElementChild;
          }

          // What a person is typing, or has typed and not sent.
          function isBusy(form) { return form.dataset.typing !== undefined || form.dataset.sending !== undefined; }

          function show(html, fresh) {
            const form = element(html);
            const old = form && document.getElementById(form.id);
            if (!old) return;
            const focus = old.contains(document.activeElement) ? document.activeElement : null;
            if (fresh && isBusy(old)) { old.dataset.stale = ""; return; }
            if (fresh && old.outerHTML === form.outerHTML) return;
            old.replaceWith(form);
            if (fresh) form.classList.add("fresh");
            update(form);
            if (!focus) return;
            const place = (focus.id && document.getElementById(focus.id))
              || [...form.elements].find((other) => other.name === focus.name && other.value === focus.value)
              || form.querySelector("input:not([type=hidden]), select, textarea");
            if (place) place.focus({ preventScroll: true });
          }

          // The value of a slider beside it.
          function update(scope) {
            for (const slider of scope.querySelectorAll("input[type=range]")) {
              const output = slider.parentElement.querySelector("output");
              const number = Number(slider.value);
              if (output) output.value = Number.isFinite(number) ? String(Number(number.toPrecision(6))) : slider.value;
            }
          }

          let waiting = Promise.resolve();
          const pending = new Map();
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
            waiting = waiting.then(async () => {
              const now = document.getElementById(id);
              // What this page has stored itself meanwhile is no conflict. If that was refused, a person decides.
              const isRefused = earlier && now && now.querySelector("[role=alert]");
              if (earlier && now) for (const name of ["token", "seen"]) data.set(name, now.elements[name].value);
              if (!isRefused) await deliver(id, place, data);
              if (pending.get(id) === data) pending.delete(id);
            });
          }

          async function deliver(id, action, data, attempt = 0) {
            let response;
            try {
              response = await fetch(action, { method: "POST", body: data, headers: { "X-Settle-Fragment": "1" },
                redirect: "manual" });
            } catch {
              tell(body.dataset.unreachable, true);
              await new Promise((resolve) => setTimeout(resolve, Math.min(1000 * 2 ** attempt, 10000)));
              return deliver(id, action, data, attempt + 1);
            }
            const form = document.getElementById(id);
            if (form) delete form.dataset.sending;
            if (response.status === 401 || response.status === 403) { location.reload(); return; }
            const text = await response.text();
            if ((response.headers.get("Content-Type") || "").startsWith("text/html")) show(text, false);
            else tell(text, true);
            if (response.ok) tell(body.dataset.saved);
          }

          document.addEventListener("input", (event) => {
            const form = event.target.closest("form.control");
            if (!form) return;
            form.dataset.typing = "";
            update(form);
          });
          document.addEventListener("change", (event) => {
            const form = event.target.closest("form.control");
            if (!form || event.target.closest(".new")) return;
            send(form, null);
          });
          document.addEventListener("submit", (event) => {
            const form = event.target.closest("form.control");
            if (!form) return;
            event.preventDefault();
            send(form, event.submitter);
          });

          // What others change.
          const place = body.dataset.events;
          if (!place) { update(document); return; }
          let events, last = body.dataset.token || "", delay = 500, again = false;
          function listen() {
            const url = new URL(place, location.href);
            if (last) url.searchParams.set("after", last);
            if (again) url.searchParams.set("again", "1");
            events = new EventSource(url);
            events.addEventListener("open", () => {
              if (again) { tell(""); status.classList.remove("shown"); }
              delay = 500;
              again = true;
            });
            events.addEventListener("forms", (event) => {
              if (event.lastEventId) last = event.lastEventId;
              for (const html of JSON.parse(event.data)) show(html, true);
            });
            events.addEventListener("error", () => {
              tell(body.dataset.unreachable, true);
              if (events.readyState !== EventSource.CLOSED) return;
              setTimeout(listen, delay);
              delay = Math.min(delay * 2, 10000);
            });
          }
          // A page that nobody sees needs no connection; browsers have few for each server.
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) { events && events.close(); events = null; again = true; } else if (!events) listen();
          });
          update(document);
          if (!document.hidden) listen();
        })();
        """
}
