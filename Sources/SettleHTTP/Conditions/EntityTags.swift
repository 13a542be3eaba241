/// The entity tags that a request's `If-Match` or `If-None-Match` lists.
enum EntityTags: Sendable, Hashable {
    /// `*`: any representation.
    case any
    case tags([Tag])

    struct Tag: Sendable, Hashable {
        let isWeak: Bool
        /// The text between the quotation marks.
        let text: String
    }

    /// - Returns: `nil` for text that HTTP does not allow in these fields.
    init?(_ field: String) {
        var rest = field[...].trimmed
        guard rest != "*" else {
            self = .any
            return
        }
        var tags: [Tag] = []
        repeat {
            guard let tag = Self.popTag(&rest) else { return nil }
            tags.append(tag)
            rest = rest.trimmed
        } while Self.popComma(&rest)
        guard rest.isEmpty else { return nil }
        self = .tags(tags)
    }

    private static func popTag(_ rest: inout Substring) -> Tag? {
        let isWeak = rest.hasPrefix("W/")
        if isWeak { rest.removeFirst(2) }
        guard rest.popFirst() == "\"", let end = rest.firstIndex(of: "\"") else { return nil }
        let text = rest[..<end]
        // Neither spaces nor control characters.
        guard text.utf8.allSatisfy({ $0 == 0x21 || 0x23 <= $0 && $0 != 0x7F }) else { return nil }
        rest = rest[end...].dropFirst()
        return Tag(isWeak: isWeak, text: String(text))
    }

    private static func popComma(_ rest: inout Substring) -> Bool {
        guard rest.first == "," else { return false }
        rest = rest.dropFirst().trimmed
        return true
    }
}
