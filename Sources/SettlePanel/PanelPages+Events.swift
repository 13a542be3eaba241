import Settle

extension PanelPages {
    /// The stream of changes of a page; see ``PageUpdates``.
    ///
    /// - Parameters:
    ///   - query: Names the page, the settings that its document has, and what it shows.
    ///   - lastEvent: The identifier of the last event that the browser has had of this stream: newer than what the
    ///     query says it shows.
    ///   - lifetime: How long the browser's session lasts; `nil` without an end.
    func events(_ query: FormFields, lastEvent: String?, lifetime: Duration?) -> PanelResponse {
        let page = PageScope(query)
        let undeclared = page.controls(in: context.contents).map(\.key).filter {
            panel.store.keys.setting(forKey: $0.description) == nil
        }
        let ending = EventStreamControl(
            heartbeat: panel.configuration.heartbeat, lifetime: lifetime, sleep: panel.configuration.sleep)
        let updates = PageUpdates(
            page, of: self, outline: query["outline"], from: (lastEvent ?? query["since"]).flatMap { PageCursor($0) })
        return PanelResponse(
            200, [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")],
            .events(
                PanelEvents(panel.store, undeclared: undeclared, ending) {
                    var updates = updates
                    return { await updates.event(of: $0) }
                }))
    }
}
