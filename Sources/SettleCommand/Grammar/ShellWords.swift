/// The words of a line, separated and quoted as in a shell, without its variables and commands.
enum ShellWords {
    /// Returns the words; none for an empty line, or for a comment, which begins with `#`.
    ///
    /// - Throws: ``CommandFailure`` if a quotation mark or a backslash has nothing to end with.
    static func words(of line: Substring) throws(CommandFailure) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = line
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("'", "'"?), ("\"", "\""?): quote = nil
            case (_, "'"?): word?.append(character)
            case ("\\", _):
                guard let next = rest.popFirst() else { throw CommandFailure(.usage, "A backslash ends the line.") }
                // In double quotes, a backslash before anything else stands for itself.
                let isKept = quote != nil && next != "\"" && next != "\\"
                word = (word ?? "") + (isKept ? "\\" : "") + String(next)
            case (_, "\""?): word?.append(character)
            case ("'", _), ("\"", _):
                quote = character
                word = word ?? ""
            case ("#", _) where word == nil: return words
            case _ where character.isWhitespace:
                if let found = word { words.append(found) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw CommandFailure(.usage, "A quotation mark is missing at the end of the line.") }
        return words + (word.map { [$0] } ?? [])
    }
}
