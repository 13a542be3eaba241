import SettleHTTP

/// The settings on a page, so that its stream covers the same ones.
enum PageScope: Sendable {
    case pane(id: String)
    /// The results of a search.
    case search(SettingsQuery)

    /// Creates the scope from the address of a stream.
    init(_ query: FormFields) {
        self = SettingsQuery(query).map { .search($0) } ?? .pane(id: query["pane"] ?? "")
    }

    /// Whether the values of settings decide which ones are on the page.
    var dependsOnValues: Bool { if case .search(let query) = self { query.isChangedOnly } else { false } }

    /// - Parameter cursor: The contents of the page.
    func address(from cursor: PageCursor, in context: PageContext) -> String {
        let fields =
            switch self {
            case .pane(let id): [("pane", id)]
            case .search(let query): query.fields
            }
        return context.path("events", fields + [("outline", cursor.outline), ("since", cursor.description)])
    }

    /// Returns the settings that may be on the page, whatever their values are.
    func candidates(in contents: PanelContents) -> [Control] {
        switch self {
        case .pane(let id): contents.pane(id)?.controls ?? []
        case .search(let query): contents.found(query).flatMap(\.controls)
        }
    }

    /// Returns a text that distinguishes pages with other settings, or other links.
    ///
    /// - Parameter controls: The settings on the page.
    func outline(of controls: [Control], in contents: PanelContents) -> String {
        let rows =
            switch self {
            case .pane(let id): contents.pane(id)?.sections.flatMap(\.rows).map(\.id) ?? []
            case .search: controls.map(\.id)
            }
        return Fingerprint.of(rows.joined(separator: "\n"))
    }
}

extension PanelContents.Row {
    fileprivate var id: String {
        switch self {
        case .control(let control): control.id
        case .text(let title, let text): "\(title) \(text)"
        case .pane(let id, let title): "\(id) \(title)"
        case .link(let title, let address): "\(address ?? "") \(title)"
        }
    }
}
