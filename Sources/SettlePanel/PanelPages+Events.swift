import Settle
import SettleHTTP

extension PanelPages {
    /// Returns the stream of changes of a page; see ``PageUpdates``.
    ///
    /// - Parameters:
    ///   - query: Identifies the page, the settings in its document, and its contents.
    ///   - lastEvent: The identifier of the last event of this stream that the browser received: newer than the
    ///     contents stated in the query.
    ///   - session: The browser's session, with which the stream ends; `nil` for no end.
    func events(_ query: FormFields, lastEvent: String?, session: AdmittedSession?) -> PanelResponse {
        let page = PageScope(query)
        let undeclared = page.candidates(in: context.contents).map(\.key).filter {
            panel.store.keys.setting(forKey: $0.description) == nil
        }
        let ending = EventStreamControl(
            heartbeat: panel.configuration.heartbeat, session: session, sleep: panel.configuration.sleep)
        let updates = PageUpdates(
            page, of: self, outline: query["outline"], from: (lastEvent ?? query["since"]).flatMap { PageCursor($0) })
        return PanelResponse(
            200, [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")],
            .events(
                WebEvents(PanelEventStream(updates, of: panel.store, undeclared: undeclared, ending: ending))))
    }
}

/// The stream of a page's events.
private final class PanelEventStream: WebEventStream {
    private let updates: PageUpdates
    private let store: SettingsStore
    private let undeclared: [SettingKey]
    private let ending: EventStreamControl

    init(_ updates: PageUpdates, of store: SettingsStore, undeclared: [SettingKey], ending: EventStreamControl) {
        (self.updates, self.store, self.undeclared, self.ending) = (updates, store, undeclared, ending)
    }

    func end() { ending.end() }

    func makeSource() -> any WebEventSource {
        var updates = updates
        return PanelEventSource(StoreFollower(store, undeclared: undeclared, ending: ending)) {
            await updates.event(of: $0)
        }
    }
}
