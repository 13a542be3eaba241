extension PanelScript {
    /// What is typed in forms, and what replaces them.
    static let forms = """
        // What is being sent, by form.
        const pending = new Map();
        // What this page has stored itself is no conflict: the places of answers that are not shown yet, by form.
        const places = new Map();

        function differs(form) {
          return [...form.elements].some((part) => {
            if (part.type === "hidden" || part.type === "submit") return false;
            if (part.validity && part.validity.badInput) return true;
            if (part.type === "checkbox" || part.type === "radio") return part.checked !== part.defaultChecked;
            if (part.tagName !== "SELECT") return part.value !== part.defaultValue;
            const chosen = Math.max(0, [...part.options].findIndex((option) => option.defaultSelected));
            return part.selectedIndex !== chosen;
          });
        }
        function isRefused(form) { return form.querySelector("[role=alert]") !== null; }
        // What a person is typing, or has typed and is not stored.
        function isBusy(form) { return form.dataset.typing !== undefined || pending.has(form.id) || isRefused(form); }

        // An answer may be refused, or have stored something; news come from others; what is wanted is taken in any case.
        function show(form, why, look = form && lookOf(form)) {
          if (isPressed) { later.push(() => show(form, why, look)); return; }
          const old = form && document.getElementById(form.id);
          if (!old) return;
          const isSame = looks.get(old) === look;
          if (why === "news" && isBusy(old)) {
            if (isSame) return;
            if (old.elements.seen.value !== form.elements.seen.value) tell(body.dataset.changed);
            old.dataset.stale = "";
          } else if (why === "news" && isSame) {
            old.elements.token.value = form.elements.token.value;
            places.delete(old.id);
          } else if (why !== "wanted" && why !== "news" && (pending.has(old.id) || old.dataset.typing !== undefined)) {
            join(old, form, why === "stored");
          } else {
            replace(old, form, look);
            if (why === "news") form.classList.add("fresh");
          }
        }

        // Somebody types on: what is typed stays.
        function join(old, form, isStored) {
          old.dataset.stale = "";
          for (const name of isStored ? ["token", "seen"] : []) old.elements[name].value = form.elements[name].value;
          for (const alert of old.querySelectorAll("[role=alert]")) alert.remove();
          const alert = form.querySelector("[role=alert]");
          if (alert) old.querySelector(".row").after(alert);
        }

        // Where the focus was when a form could not be used for a moment.
        const left = new Map();
        function replace(old, form, look) {
          const active = document.activeElement;
          const focus = old.contains(active) ? active : active === body ? left.get(old.id) : null;
          left.delete(old.id);
          places.delete(old.id);
          looks.set(form, look);
          old.replaceWith(form);
          update(form);
          if (!focus) return;
          const place = (focus.id && document.getElementById(focus.id))
            || [...form.querySelectorAll(focus.tagName)].find((other) => other.name === focus.name
              && other.value === focus.value && other.getAttribute("href") === focus.getAttribute("href"))
            || form.querySelector("input:not([type=hidden]), select, textarea");
          if (!place) return;
          place.focus({ preventScroll: true });
          try { place.setSelectionRange(focus.selectionStart, focus.selectionEnd); } catch { /* It has no text. */ }
        }

        async function fetchForm(form, why) {
          const url = new URL(body.dataset.form, location.href);
          url.searchParams.set("key", form.dataset.key);
          url.searchParams.set("control", form.id);
          try {
            const response = await fetch(url);
            if (response.ok) show(formIn(await response.text()), why); else if (response.status === 401) end();
          } catch { tell(body.dataset.unreachable); }
        }

        // Whoever leaves a form as it was wants to see what others have done meanwhile.
        function settle(form) {
          if (!differs(form)) delete form.dataset.typing;
          if (!isBusy(form) && form.dataset.stale !== undefined) fetchForm(form, "news");
          renew();
        }

        document.addEventListener("input", (event) => {
          const form = event.target.closest("form.control");
          if (!form) return;
          if (pending.has(form.id) || differs(form)) form.dataset.typing = ""; else delete form.dataset.typing;
          update(form);
        });
        document.addEventListener("click", (event) => {
          const form = event.target.closest("[data-leave]") && event.target.closest("form.control");
          if (!form) return;
          event.preventDefault();
          fetchForm(form, "wanted");
        });
        """
}
