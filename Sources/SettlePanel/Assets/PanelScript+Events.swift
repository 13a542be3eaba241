extension PanelScript {
    /// What others change.
    static let events = """
        // Whether the page has other settings than the program by now.
        let isOutdated = false;
        function renew() {
          if (!isOutdated || document.activeElement?.closest("form.control")) return;
          if (![...document.querySelectorAll("form.control")].some(isBusy)) location.reload();
        }

        const place = body.dataset.events ? new URL(body.dataset.events, location.href) : null;
        // What the program has told last: what the page shows, unless an answer has come between.
        let since = place ? place.searchParams.get("since") : "";
        function isAsTold() {
          return [...document.querySelectorAll("form.control")].every((form) => form.dataset.mark === told.get(form.id));
        }
        let events = null, timer, delay = 500, isLost = false;
        function stop() {
          clearTimeout(timer);
          if (events) events.close();
          events = null;
        }
        function listen() {
          stop();
          if (isAsTold()) place.searchParams.set("since", since); else place.searchParams.delete("since");
          const own = events = new EventSource(place);
          own.addEventListener("open", () => {
            if (isLost) hush();
            [isLost, delay] = [false, 500];
          });
          own.addEventListener("forms", (event) => {
            since = event.lastEventId;
            for (const news of JSON.parse(event.data)) {
              if (typeof news === "string") {
                const form = formIn(news);
                told.set(form.id, form.dataset.mark);
                show(form, "news");
              } else {
                told.set(news.id, news.to);
                change(news);
              }
            }
          });
          own.addEventListener("contents", () => {
            isOutdated = true;
            renew();
          });
          own.addEventListener("error", async () => {
            if (own !== events) return;
            isLost = true;
            tell(body.dataset.unreachable, true);
            // The browser connects again by itself, and says what it was told.
            if (own.readyState !== EventSource.CLOSED && isAsTold()) return;
            own.close();
            // An event does not tell why.
            const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
            if (own !== events) return;
            if (answer && answer.status === 401) { stop(); end(); return; }
            timer = setTimeout(listen, delay);
            delay = Math.min(delay * 2, 10000);
          });
        }
        if (place) {
          // A page that nobody sees needs no connection; browsers have few for each server.
          document.addEventListener("visibilitychange", () => { if (document.hidden) stop(); else listen(); });
          if (!document.hidden) listen();
        }
        """
}
