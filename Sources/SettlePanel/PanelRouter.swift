import SettleHTTP

/// Routes an admitted request to the code that answers it.
struct PanelRouter: Sendable {
    let panel: SettingsPanel
    let visit: ParsedRequest
    let formToken: String
    /// The path of the panel.
    let base: String
    /// The path of the page with all panels, if there is one.
    var home: String?

    func respond() async -> PanelResponse {
        do {
            let contents = try await panel.contents(for: visit.languages)
            let context = visit.context(
                contents, base: base, formToken: formToken, panel.configuration, home: home)
            return await respond(context)
        } catch {
            return .sentence(503, "The settings can't be read. \(error)")
        }
    }

    private func respond(_ context: PageContext) async -> PanelResponse {
        let pages = PanelPages(panel: panel, context: context)
        let changes = PanelActions(
            panel: panel, context: context, form: visit.form, author: visit.user ?? panel.configuration.author,
            wantsFragment: visit.wantsFragment)
        let query = visit.query
        switch (visit.request.method, visit.path) {
        case ("POST", "/set"): return await changes.set()
        case ("POST", "/reset"): return await changes.reset()
        case ("POST", "/undo"): return await changes.undo()
        case ("POST", _): return pages.missing
        case (_, ""), (_, "/"): return pages.pane("")
        case (_, "/pane"): return pages.pane(query["id"] ?? "")
        case (_, "/search"): return pages.search(context.search ?? SettingsQuery(text: ""))
        case (_, "/json"): return pages.json(pane: query["pane"] ?? "")
        case (_, "/form"): return pages.form(of: query["key"] ?? "", id: query["control"])
        case (_, "/why"): return await pages.why(query["key"] ?? "")
        case (_, "/reset"): return pages.question(pane: query["pane"])
        case (_, "/image"): return pages.image(query["name"] ?? "")
        case (_, "/icon"): return pages.icon
        case ("GET", "/events"):
            return pages.events(
                query, lastEvent: visit.request.value(of: "last-event-id"), session: visit.session)
        default: return pages.missing
        }
    }
}
