/// The words of a line, separated and quoted as in a shell, without its variables and commands.
enum ShellWords {
    /// Returns the words; none for an empty line, or for a comment, which begins with `#`.
    ///
    /// Spaces and tabs separate words. Any other white space is a part of its word, as in a shell.
    ///
    /// - Throws: ``CommandFailure`` if a quotation mark or a backslash has nothing to end with.
    static func words(of line: Substring) throws(CommandFailure) -> [String] {
        var words: [String] = []
        var word = String.UnicodeScalarView()
        // An empty word in quotation marks is a word, too.
        var isInWord = false
        var quote: Unicode.Scalar?
        // Scalars, not characters: a quotation mark before a combining mark would be another character.
        var rest = line.unicodeScalars
        while let scalar = rest.popFirst() {
            switch (scalar, quote) {
            case ("'", "'"?), ("\"", "\""?): quote = nil
            case (_, "'"?): word.append(scalar)
            case ("\\", _):
                guard let next = rest.popFirst() else { throw CommandFailure(.usage, "A backslash ends the line.") }
                // In double quotes, a backslash before anything else stands for itself.
                if quote != nil, next != "\"", next != "\\" { word.append(scalar) }
                word.append(next)
                isInWord = true
            case (_, "\""?): word.append(scalar)
            case ("'", _), ("\"", _): (quote, isInWord) = (scalar, true)
            case ("#", _) where !isInWord: return words
            case (" ", _), ("\t", _):
                if isInWord { words.append(String(word)) }
                word.removeAll(keepingCapacity: true)
                isInWord = false
            default:
                word.append(scalar)
                isInWord = true
            }
        }
        guard quote == nil else { throw CommandFailure(.usage, "A quotation mark is missing at the end of the line.") }
        return isInWord ? words + [String(word)] : words
    }
}
