import Settle
package import SettleInterchange
import Synchronization

/// A bundle of a panel, localized once for each list of languages that browsers ask for.
package final class PanelBundle: Sendable {
    let bundle: SettingsBundle
    private let localized = Mutex<[[String]: LocalizedBundle]>([:])

    /// The number of lists that are remembered. Requests choose them, so there must be a limit.
    package static let limit = 16

    package init(_ bundle: SettingsBundle) { self.bundle = bundle }

    /// Returns the bundle with its texts in the user's languages.
    package func localized(for languages: [String]) -> LocalizedBundle {
        if let known = localized.withLock({ $0[languages] }) { return known }
        let new = LocalizedBundle(bundle, for: languages)
        return localized.withLock { localized in
            if let first = localized[languages] { return first }
            if localized.count == Self.limit { localized.removeAll() }
            localized[languages] = new
            return new
        }
    }
}

/// A bundle in one language, with what its pages need of all its panes.
package final class LocalizedBundle: Sendable {
    package let bundle: SettingsBundle
    /// The language of most texts, if known.
    let language: String?
    /// The indices of the panes by identifier; see ``id(of:)``.
    let indices: [Name: Int]
    /// The first row that leads to each pane, by its file.
    private let rows: [Name: (parent: String, title: String?)]
    /// The keys of the specifiers that pads show.
    let keysOnPads: Set<String>

    fileprivate init(_ original: SettingsBundle, for languages: [String]) {
        let bundle = original.localized(for: languages)
        (self.bundle, language) = (bundle, original.language(for: languages))
        let root = Name(bundle.root.file)
        var indices = [Name(""): 0]
        var rows: [Name: (parent: String, title: String?)] = [:]
        for (index, pane) in bundle.panes.enumerated() {
            if index > 0, indices[Name(pane.file)] == nil { indices[Name(pane.file)] = index }
            for specifier in pane.specifiers {
                guard case .childPane(let child) = specifier.kind else { continue }
                let name = Name(child.file)
                if name != root, rows[name] == nil { rows[name] = (pane.file, specifier.title) }
            }
        }
        (self.indices, self.rows) = (indices, rows)
        keysOnPads = Set(bundle.panes.flatMap(\.specifiers).filter { $0.isShown(on: .pad) }.compactMap(\.key))
    }

    /// Returns the identifier of a pane in addresses: its file, empty for the first one.
    func id(of file: String) -> String { Name(file) == Name(bundle.root.file) ? "" : file }

    /// Returns the identifier of the pane with the first row that leads to a pane; `nil` for the first pane.
    func parent(of pane: SettingsBundle.Pane) -> String? { rows[Name(pane.file)].map { id(of: $0.parent) } }

    /// Returns a pane's title.
    ///
    /// - Parameter title: The panel's title.
    func title(of pane: SettingsBundle.Pane, in title: String) -> String {
        if let title = pane.title?.visible ?? rows[Name(pane.file)]?.title?.visible { return title }
        return id(of: pane.file).isEmpty ? bundle.title?.visible ?? title : pane.file.asTitle
    }

    func hasPane(_ file: String) -> Bool { indices[Name(id(of: file))] != nil }
}
