import Settle

/// A path from a bundle's folder to a file within it.
struct BundlePath: Hashable {
    /// The names of the folders, and that of the file. At least one.
    let names: [String]

    /// Creates a path; `nil` if the text is not a path that stays in the folder.
    ///
    /// - Parameter fileExtension: Appended to the last name, unless it is already there.
    init?(_ text: String, extension fileExtension: String = "") {
        guard text.utf8.count <= 1_024, !text.utf8.contains(0) else { return nil }
        var names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard var last = names.popLast(), names.count < 8 else { return nil }
        if last.isEmpty { return nil }
        if last.without(ending: fileExtension) == nil { last += fileExtension }
        names.append(last)
        guard names.allSatisfy({ !["", ".", ".."].contains($0) && $0.utf8.count <= 255 }) else {
            return nil
        }
        self.names = names
    }

    /// Creates a path of names, none of which leads elsewhere. At least one.
    init(_ names: [String]) { self.names = names }

    var name: String { names.last ?? "" }
    var text: String { names.joined(separator: "/") }
    /// The path of a property list without its extension, as panes are named.
    var pane: String { text.without(ending: ".plist") ?? text }

    static func == (left: BundlePath, right: BundlePath) -> Bool {
        left.names.map(Name.init) == right.names.map(Name.init)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(names.map(Name.init)) }
}

extension String {
    /// Returns the text before an ending, compared by bytes; `nil` if it has another one, or nothing before it.
    func without(ending: String) -> String? {
        let count = utf8.count - ending.utf8.count
        guard count > 0, utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return nil }
        return String(decoding: utf8.prefix(count), as: UTF8.self)
    }
}
