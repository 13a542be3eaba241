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
        function isTyped(form) { return form.hasAttribute("data-typing") || pending.has(form.id); }
        function isBusy(form) { return isTyped(form) || isRefused(form); }
        // By a search, which ends with the first: the form's own list of names is made anew after each change.
        function fieldIn(form, name) { return form.querySelector(`[name=${name}]`); }

        // Whether news leave a form as it is: who types is only told of them, and what looks the same gets its place.
        function keeps(form, mark, token, seen) {
          const isSame = form.dataset.mark === mark;
          if (isBusy(form)) {
            if (isSame) return true;
            if (fieldIn(form, "seen").value !== seen) tell(body.dataset.changed);
            form.dataset.stale = "";
            return true;
          }
          if (!isSame) return false;
          fieldIn(form, "token").value = token;
          delete form.dataset.stale;
          places.delete(form.id);
          return true;
        }

        // An answer may be refused, or have stored something; news come from others; what is wanted is taken in any case.
        function show(form, why) {
          if (isPressed) { later.push(() => show(form, why)); return; }
          const old = form && document.getElementById(form.id);
          if (!old) return;
          if (why === "news") {
            if (keeps(old, form.dataset.mark, fieldIn(form, "token").value, fieldIn(form, "seen").value)) return;
            replace(old, form);
            flash(form);
          } else if (why !== "wanted" && isTyped(old)) {
            join(old, form, why === "stored");
          } else {
            replace(old, form);
          }
        }

        // Somebody types on: what is typed stays.
        function join(old, form, isStored) {
          old.dataset.stale = "";
          delete old.dataset.mark;
          for (const name of isStored ? ["token", "seen"] : []) fieldIn(old, name).value = fieldIn(form, name).value;
          for (const alert of old.querySelectorAll("[role=alert]")) alert.remove();
          const alert = form.querySelector("[role=alert]");
          if (alert) old.querySelector(".row").after(alert);
        }

        // What is selected of a text; null if there is none.
        function caretOf(part) {
          if (typeof part.selectionStart !== "number") return null;
          return [part.selectionStart, part.selectionEnd, part.selectionDirection];
        }

        // Where the focus was when a form could not be used for a moment.
        const left = new Map();
        function replace(old, form) {
          const active = document.activeElement;
          const focus = old.contains(active) ? active : active === body ? left.get(old.id) : null;
          const caret = focus ? caretOf(focus) : null;
          left.delete(old.id);
          places.delete(old.id);
          old.replaceWith(form);
          update(form);
          if (!focus) return;
          const place = (focus.id && document.getElementById(focus.id))
            || [...form.querySelectorAll(focus.tagName)].find((other) => other.name === focus.name
              && other.value === focus.value && other.getAttribute("href") === focus.getAttribute("href"))
            || form.querySelector("input:not([type=hidden]), select, textarea");
          if (!place) return;
          place.focus({ preventScroll: true });
          if (caret && caretOf(place)) place.setSelectionRange(...caret);
        }

        // The form as it is now; null if it can't be had.
        async function fetchForm(form) {
          const url = new URL(body.dataset.form, location.href);
          url.searchParams.set("key", form.dataset.key);
          url.searchParams.set("control", form.id);
          try {
            const response = await fetch(url);
            if (response.ok) return formIn(await response.text());
            if (response.status === 401) end();
          } catch { tell(body.dataset.unreachable); }
          return null;
        }

        // Whoever leaves a form as it was wants to see what others have done meanwhile.
        function settle(form) {
          if (!differs(form)) delete form.dataset.typing;
          if (!isBusy(form) && form.dataset.stale !== undefined) refresh(form);
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
          fetchForm(form).then((wanted) => show(wanted, "wanted"));
        });
        """
}
