import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PanelPages {
    /// The stream of changes of a page: forms that have changed, as they are now.
    ///
    /// - Parameters:
    ///   - query: Its `after` is the place of the history that the page shows, and `pane` the page.
    ///   - lastID: The place that the browser has reached on an earlier connection.
    func events(_ query: FormFields, lastID: String?) -> PanelResponse {
        // After a connection has ended, other domains may have changed, which have no places.
        let isFirst = lastID == nil && query["again"] == nil
        let follower = PanelFollower(
            panel.store, after: isFirst ? query["after"].flatMap { ChangeToken($0) } : nil,
            undeclared: context.contents.controls.map(\.key).filter {
                panel.store.setting(forKey: $0.description) == nil
            },
            heartbeat: panel.configuration.heartbeat, sleep: panel.configuration.sleep)
        let (pages, pane) = (self, query["pane"] ?? "")
        let events = PanelEvents(follower) { pages.event($0, pane: pane) }
        return PanelResponse(
            200, [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")], .events(events))
    }

    /// An event with the forms that may have changed, or a comment if nothing has.
    private func event(_ news: PanelFollower.News, pane: String) -> [UInt8] {
        // Read before the values, which may be newer and are never older.
        let token = panel.store.token
        let controls =
            news.isEverything
            ? context.contents.pane(pane)?.controls ?? []
            : context.contents.controls.filter { control in
                news.keys.contains { $0 == control.key || $0.isWithin(control.key) || control.key.isWithin($0) }
            }
        // A browser waits this long, in milliseconds, before it connects again.
        var text = news.isBeginning ? "retry: 1000\n\n" : ""
        guard !controls.isEmpty else { return Array("\(text): alive\n\n".utf8) }
        let forms = SettingValue.array(controls.map { .string(form($0).html.text) })
        // On one line, since JSON escapes line breaks.
        let data = (try? forms.json()).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        if let token { text += "id: \(token)\n" }
        text += "event: forms\ndata: \(data.split(separator: "\n").joined(separator: "\ndata: "))\n\n"
        return Array(text.utf8)
    }
}
