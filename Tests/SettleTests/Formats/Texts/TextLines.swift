/// Where the lines and the ends of entries are in a settings file.
extension TextDocument {
    /// The first token of the line of a token, if only white space is between them.
    func lineStart(of token: Int) -> Int? {
        var start = token
        while start > 0, tokens[start - 1].kind == .space { start -= 1 }
        return start == 0 || tokens[start - 1].kind == .lineEnd ? start : nil
    }

    /// The line end behind a token, or the end of the file, if only white space is between them.
    func lineEnd(behind token: Int) -> Int? {
        var end = token + 1
        while end < tokens.count, tokens[end].kind == .space { end += 1 }
        return end == tokens.count || tokens[end].kind == .lineEnd ? end : nil
    }

    /// The last token of an entry: its comma, or the comment behind it on the same line.
    ///
    /// A comment that is followed by another entry on its line, or goes on on the next, is behind one entry and before
    /// the other: it is among the unclear ones.
    func end(of entry: Entry) -> (token: Int, unclear: [Int]) {
        let end = entry.comma ?? entry.value.tokens.upperBound
        var comments: [Int] = []
        var index = end + 1
        while index < tokens.count {
            if tokens[index].kind == .comment {
                comments.append(index)
                if tokens[index].bytes.contains(0x0A) { return (end, comments) }
            } else if tokens[index].kind != .space {
                break
            }
            index += 1
        }
        let isClear = index == tokens.count || tokens[index].kind == .lineEnd || tokens[index].kind == .closeObject
        return isClear ? (comments.last ?? end, []) : (end, comments)
    }

    /// The comments in front of a key on its line.
    func commentsBefore(_ key: Int) -> [Int] {
        var comments: [Int] = []
        var index = key - 1
        while index >= 0, tokens[index].kind == .space || tokens[index].kind == .comment {
            if tokens[index].kind == .comment { comments.append(index) }
            index -= 1
        }
        return comments
    }

    func isOnOwnLine(_ comment: Int) -> Bool { lineStart(of: comment) != nil && lineEnd(behind: comment) != nil }
}

extension TextDocument.Object {
    /// Whether the keys are sorted by their bytes.
    var isSorted: Bool { names.isSortedByBytes }
}

extension [String] {
    var isSortedByBytes: Bool {
        zip(self, dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
