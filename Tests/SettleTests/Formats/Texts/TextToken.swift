/// The smallest part of a settings file that a check may name. The tokens of a file, joined, are the file.
struct TextToken: Equatable {
    enum Kind {
        /// Spaces and tabs.
        case space
        /// One line feed, with the carriage return before it.
        case lineEnd
        case comment
        case openObject, closeObject, openArray, closeArray
        case comma, colon
        /// The key of a property list. One in JSON is a scalar before a colon.
        case key
        /// A string, a number or a word; an element of a property list with all that is in it, or an empty one.
        case scalar
        /// What is outside of the settings: the byte order mark and the prolog of a property list.
        case other
    }

    var kind: Kind
    var bytes: [UInt8]

    /// Whether it separates other tokens only.
    var isTrivia: Bool { kind == .space || kind == .lineEnd || kind == .comment }
}

/// A text that is no settings file, for a check that does not rely on the readers that it checks.
struct TextSyntaxError: Error {
    var reason: String
    var offset: Int
}
