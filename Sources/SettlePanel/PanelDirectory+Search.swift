import Settle
import SettleHTTP

/// The search over all panels.
extension PanelDirectory {
    /// Returns the page with the settings that a search finds in all programs, as links. Their stores are opened.
    func search(_ visit: ParsedRequest, _ formToken: String) async -> PanelResponse {
        let context = context(visit, formToken)
        let (query, strings) = (context.search ?? SettingsQuery(text: ""), context.strings)
        var (sections, count, total) = ([HTML](), 0, 0)
        for entry in query.isEmpty ? [] : entries {
            do {
                let pages = try await pages(of: entry, visit, formToken)
                var rest = query
                rest.limit = query.limit - count
                let results = pages.results(of: rest)
                count += results.count
                total += results.total
                let isNamed = !query.isChangedOnly && query.isFound(in: [entry.name])
                if isNamed || results.count > 0 { sections.append(section(entry, results, pages.context)) }
            } catch {
                sections.append(
                    HTML("p", ["class": "problem"]) {
                        strings.html(
                            "The settings of “%@” can’t be searched: %@", strings.isolated(entry.name),
                            strings.english("\(error)"))
                    })
            }
        }
        let title = query.isChangedOnly ? strings("Changed settings") : strings("Search")
        let isFound = !sections.isEmpty
        return .html(
            PanelDocument(context: context, title: title).html {
                HTML("h1") { title }
                context.searchSummary(query, isFound: isFound)
                context.filter(query)
                sections
                context.more(query, count: count, total: total)
            })
    }

    /// - Parameter context: The data of the program's own pages.
    private func section(_ entry: Entry, _ results: SearchResults, _ context: PageContext) -> HTML {
        HTML("section") {
            HTML("h2") { HTML("a", ["href": .text(path(of: entry))]) { context.marked(entry.name) } }
            if results.count > 0 {
                HTML("div", ["class": "card"]) {
                    for (pane, controls) in results.panes { controls.map { row($0, pane, context) } }
                }
            }
        }
    }

    private func row(_ control: Control, _ pane: PanelContents.Pane, _ context: PageContext) -> HTML {
        HTML("a", ["class": "pane", "href": .text("\(context.panePath(pane.id))#\(control.id)")]) {
            HTML("span") {
                context.marked(control.title)
                if !pane.id.isEmpty { HTML("small") { context.marked(pane.title) } }
            }
            HTML("span", ["class": "chevron", "aria-hidden": "true"]) { "›" }
        }
    }
}
