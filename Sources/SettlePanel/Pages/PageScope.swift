/// The settings on a page, so that its stream covers the same ones.
enum PageScope: Sendable {
    case pane(id: String)
    /// The results of a search.
    case search(text: String)

    /// Creates the scope from the address of a stream.
    init(_ query: FormFields) {
        self = query["q"].map { .search(text: $0) } ?? .pane(id: query["pane"] ?? "")
    }

    /// - Parameter cursor: The contents of the page.
    func address(from cursor: PageCursor, in context: PageContext) -> String {
        let (outline, since) = (cursor.outline, cursor.description)
        return switch self {
        case .pane(let id): context.path("events", ["pane": id, "outline": outline, "since": since])
        case .search(let text): context.path("events", ["q": text, "outline": outline, "since": since])
        }
    }

    func controls(in contents: PanelContents) -> [Control] {
        switch self {
        case .pane(let id): contents.pane(id)?.controls ?? []
        case .search(let text): contents.found(text).flatMap(\.controls)
        }
    }

    /// Returns a text that distinguishes pages with other settings, or other links.
    func outline(in contents: PanelContents) -> String {
        let rows =
            switch self {
            case .pane(let id): contents.pane(id)?.sections.flatMap(\.rows).map(\.id) ?? []
            case .search: controls(in: contents).map(\.id)
            }
        return Fingerprint.of(rows.joined(separator: "\n"))
    }
}

extension PanelContents {
    /// Returns the settings whose texts contain all words of a search.
    func found(_ text: String) -> [(pane: Pane, controls: [Control])] {
        let wanted = text.lowercased().split(whereSeparator: \.isWhitespace)
        guard !wanted.isEmpty else { return [] }
        return panes.compactMap { pane in
            let controls = pane.controls.filter { control in
                let words = (control.words + [pane.title]).map { $0.lowercased() }
                return wanted.allSatisfy { word in words.contains { $0.contains(word) } }
            }
            return controls.isEmpty ? nil : (pane, controls)
        }
    }
}

extension PanelContents.Row {
    fileprivate var id: String {
        switch self {
        case .control(let control): control.id
        case .text(let title, let text): "\(title) \(text)"
        case .pane(let id, let title): "\(id) \(title)"
        }
    }
}
