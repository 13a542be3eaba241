import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PanelPages {
    /// The stream of changes of a page. It begins with all forms of the page, since a page can be older than its
    /// connection; then come those that have changed, as they are now.
    ///
    /// - Parameters:
    ///   - query: Names the page, and what it shows.
    ///   - lifetime: How long the browser's session lasts; `nil` without an end.
    func events(_ query: FormFields, lifetime: Duration?) -> PanelResponse {
        let (pages, page, outline) = (self, ShownPage(query), query["outline"])
        let follower = PanelFollower(
            panel.store,
            undeclared: page.controls(in: context.contents).map(\.key).filter {
                panel.store.setting(forKey: $0.description) == nil
            },
            heartbeat: panel.configuration.heartbeat, lifetime: lifetime, sleep: panel.configuration.sleep)
        let events = PanelEvents(follower) { pages.current.event($0, page, outline: outline) }
        return PanelResponse(
            200, [("Content-Type", "text/event-stream; charset=utf-8"), ("X-Accel-Buffering", "no")], .events(events))
    }

    /// The same, with the settings that there are now.
    private var current: PanelPages {
        guard case .values = panel.source else { return self }
        var context = context
        context.contents = panel.contentsOfValues(in: context.words)
        return PanelPages(panel: panel, context: context)
    }

    /// An event with the forms that may have changed, or a comment if nothing has.
    private func event(_ news: PanelFollower.News, _ page: ShownPage, outline: String?) -> [UInt8] {
        // A browser waits this long, in milliseconds, before it connects again.
        var text = news.isBeginning ? "retry: 1000\n\n" : ""
        if let outline, outline != page.outline(in: context.contents) { text += "event: contents\ndata:\n\n" }
        let shown = page.controls(in: context.contents)
        let controls =
            news.isEverything
            ? shown
            : shown.filter { control in
                news.keys.contains { $0 == control.key || $0.isWithin(control.key) || control.key.isWithin($0) }
            }
        guard !controls.isEmpty else { return Array("\(text): alive\n\n".utf8) }
        let forms = SettingValue.array(controls.map { .string(form($0).html.text) })
        // On one line, since JSON escapes line breaks.
        let data = (try? forms.json()).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
        text += "event: forms\ndata: \(data.split(separator: "\n").joined(separator: "\ndata: "))\n\n"
        return Array(text.utf8)
    }
}
