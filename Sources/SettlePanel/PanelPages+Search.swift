import Settle
import SettleHTTP

/// The page with the results of a search.
extension PanelPages {
    func search(_ query: SettingsQuery) -> PanelResponse {
        let results = results(of: query)
        let forms = RenderedPage(.search(query), self, controls: results.controls)
        let title = query.isChangedOnly ? strings("Changed settings") : strings("Search")
        return .html(
            PanelDocument(context: context, title: title, events: forms.events).html {
                HTML("h1") { title }
                context.searchSummary(query, isFound: results.total > 0)
                context.filter(query)
                for (pane, controls) in results.panes {
                    HTML("section") {
                        HTML("h2") {
                            HTML("a", ["href": .text(context.panePath(pane.id))]) { context.marked(pane.title) }
                        }
                        HTML("div", ["class": "card"]) { controls.map { forms[$0] ?? HTML() } }
                    }
                }
                context.more(query, count: results.count, total: results.total)
            })
    }
}

extension PanelPages {
    func results(of query: SettingsQuery) -> SearchResults {
        var results = SearchResults()
        for (pane, controls) in context.contents.found(query) {
            let found =
                query.isChangedOnly
                ? controls.filter { ControlState(of: $0, in: panel.store).isChanged } : controls
            let shown = Array(found.prefix(query.limit - results.count))
            results.total += found.count
            results.count += shown.count
            if !shown.isEmpty { results.panes.append((pane, shown)) }
        }
        return results
    }
}

extension PageScope {
    func controls(in pages: PanelPages) -> [Control] {
        switch self {
        case .pane(let id): pages.context.contents.pane(id)?.controls ?? []
        case .search(let query): pages.results(of: query).controls
        }
    }
}
