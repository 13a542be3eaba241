public import Settle
public import SettleHTTP
public import SettleInterchange
import Synchronization

/// The panels of several programs on one server: a front page that lists them, and each below it.
///
/// ```swift
/// let directory = PanelDirectory(configuration: configuration) {
///     ProgramDomain.all().map { .domain($0) }
/// }
/// let response = await directory.respond(to: request)
/// ```
///
/// A store is opened when its panel is first requested, and stays open. A changed schema or bundle takes effect when a
/// page is next loaded.
public final class PanelDirectory: WebResponder {
    /// A panel on the list.
    public enum Entry: Sendable, Hashable {
        /// The settings that a program has stored, described by the schema that it has written.
        case domain(ProgramDomain)
        /// A program's settings, described by a bundle.
        case bundle(SettingsBundle, ProgramDomain)

        var name: String {
            switch self {
            case .domain(let domain): domain.name.visible ?? domain.name.asTitle
            case .bundle(let bundle, let domain): bundle.title?.visible ?? Entry.domain(domain).name
            }
        }

        var domain: ProgramDomain {
            switch self {
            case .domain(let domain), .bundle(_, let domain): domain
            }
        }

        /// The identifier of the panel in addresses.
        var id: String {
            switch self {
            case .domain(let domain): "domain:\(domain.name)"
            case .bundle(_, let domain): "bundle:\(domain.name)"
            }
        }
    }

    private let gate: PanelGate
    private let makeEntries: @Sendable () -> [Entry]
    private let panels = Mutex<[String: Opened]>([:])

    /// A panel and its sources.
    private struct Opened: Sendable {
        let entry: Entry
        let schema: SettingValue?
        let panel: SettingsPanel
    }

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - configuration: The location of the front page, and the access to all panels.
    ///   - entries: The panels. The closure is called for each request, so the list may change. Of two panels of the
    ///     same kind and domain, the first one counts.
    public init(configuration: SettingsPanel.Configuration, entries: @escaping @Sendable () -> [Entry]) {
        (gate, makeEntries) = (PanelGate(configuration), entries)
    }

    /// The path of the front page, without a slash at its end; empty for the server's root.
    public var path: String { gate.configuration.base }

    /// Returns the path of a panel on the list.
    public func path(of entry: Entry) -> String { "\(base(of: entry))/" }

    /// Returns the path of a panel on the list, without a slash at its end.
    private func base(of entry: Entry) -> String { "\(path)/of/\(PercentEncoding.encoded(entry.id))" }

    /// The panels on the list now, each once.
    var entries: [Entry] {
        var ids: Set<String> = []
        return makeEntries().filter { ids.insert($0.id).inserted }
    }

    /// Makes a link that lets one browser in, once; see ``SettingsPanel/makeLink(for:returningTo:)``.
    ///
    /// - Parameters:
    ///   - name: The name of the user who gets it; `nil` for no particular user.
    ///   - path: The path of the page that it leads to, such as that of a panel; `nil` for the front page.
    public func makeLink(for name: String? = nil, to path: String? = nil) -> String {
        gate.makeLink(for: name, to: path)
    }

    /// Answers a request. It never throws: a failure becomes a page or a sentence.
    public func respond(to request: WebRequest) async -> WebResponse {
        await gate.answer(request) { visit, formToken in await respond(visit, formToken) }
    }

    private func respond(_ visit: ParsedRequest, _ formToken: String) async -> PanelResponse {
        if visit.path == "/search" { return await search(visit, formToken) }
        guard visit.path.hasPrefix("/of/") else { return front(visit, formToken) }
        let rest = visit.path.dropFirst("/of/".count)
        let name = String(rest.prefix { $0 != "/" })
        guard let entry = entries.first(where: { $0.id.hasSameBytes(as: name) }) else {
            return front(visit, formToken, status: 404)
        }
        do {
            var inner = visit
            inner.path = String(rest.dropFirst(name.count))
            return await PanelRouter(
                panel: try await panel(entry), visit: inner, formToken: formToken, base: base(of: entry),
                home: "\(path)/"
            ).respond()
        } catch {
            return .sentence(503, "The settings of “\(entry.name)” can't be opened. \(error)")
        }
    }

    /// Returns the panel of an entry. Two requests that open the same store at once share its files; the first panel
    /// stays.
    private func panel(_ entry: Entry) async throws -> SettingsPanel {
        let schema = if case .domain(let domain) = entry { try domain.schema() } else { SettingValue?.none }
        func known(_ panels: [String: Opened]) -> SettingsPanel? {
            panels[entry.id].flatMap { $0.entry == entry && $0.schema == schema ? $0.panel : nil }
        }
        if let panel = panels.withLock({ known($0) }) { return panel }
        var configuration = gate.configuration
        configuration.title = entry.name
        let store = try await SettingsStore.open(
            at: entry.domain.file, searching: [.managed(), .application, .registration])
        let panel: SettingsPanel
        switch entry {
        case .bundle(let bundle, _):
            try store.domains.register(contentsOf: bundle)
            panel = SettingsPanel(store, bundle: bundle, configuration: configuration)
        case .domain:
            if let schema {
                panel = SettingsPanel(store, jsonSchema: schema, configuration: configuration)
            } else {
                panel = SettingsPanel(valuesOf: store, configuration: configuration)
            }
        }
        return panels.withLock { panels in
            if let first = known(panels) { return first }
            panels[entry.id] = Opened(entry: entry, schema: schema, panel: panel)
            return panel
        }
    }

    /// Returns the pages of a panel on the list.
    func pages(of entry: Entry, _ visit: ParsedRequest, _ formToken: String) async throws -> PanelPages {
        let panel = try await panel(entry)
        let contents = try await panel.contents(for: visit.languages)
        return PanelPages(
            panel: panel,
            context: visit.context(
                contents, base: base(of: entry), formToken: formToken, panel.configuration, home: "\(path)/"))
    }

    /// Returns the data of a page that belongs to all panels.
    func context(_ visit: ParsedRequest, _ formToken: String) -> PageContext {
        let contents = PanelContents(title: gate.configuration.title, panes: [])
        return visit.context(contents, base: path, formToken: formToken, gate.configuration)
    }

    private func front(_ visit: ParsedRequest, _ formToken: String, status: Int = 200) -> PanelResponse {
        let context = context(visit, formToken)
        let entries = entries
        return .html(
            PanelDocument(context: context, title: context.programTitle, hasSearch: !entries.isEmpty).html {
                HTML("h1") { context.strings.isolated(context.programTitle) }
                if status == 404 {
                    HTML("p", ["class": "problem", "role": "alert"]) {
                        context.strings("There is no such page or setting.")
                    }
                }
                if entries.isEmpty {
                    HTML("p", ["class": "empty"]) { context.strings("No program has stored settings yet.") }
                } else {
                    HTML("div", ["class": "card"]) {
                        for entry in entries {
                            HTML("a", ["class": "pane", "href": .text(path(of: entry))]) {
                                HTML("span") { context.strings.isolated(entry.name) }
                                HTML("span", ["class": "chevron", "aria-hidden": "true"]) { "›" }
                            }
                        }
                    }
                    HTML("p", ["class": "foot"]) {
                        HTML("a", ["href": .text(context.path("search", ["changed": "1"]))]) {
                            context.strings("Changed settings")
                        }
                    }
                }
            }, status: status)
    }
}
