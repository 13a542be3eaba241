/// Where new entries are.
extension TextOracle {
    /// Checks the place of a new entry, and leaves it out of what is compared.
    mutating func checkAddition(
        _ entry: TextDocument.Entry, _ index: Int, _ old: TextDocument.Object, _ new: TextDocument.Object,
        _ path: String
    ) {
        let name = path + entry.name
        let above = new.entries[..<index].reversed().compactMap { old.entry($0.name) }.first
        let below = new.entries[(index + 1)...].lazy.compactMap { old.entry($0.name) }.first
        let removed = entries(between: above, below, in: old).filter { new.entry($0.name) == nil }
        let hasOwnLine = old.entries.first.map { before.document.lineStart(of: $0.key) != nil } ?? false
        guard hasOwnLine, isLineEnd(between: above, below, in: old) else {
            // It may take the line of a removed entry. A line that other entries share has to be broken, in whichever
            // way, also in front of a comment.
            if hasOwnLine || !removed.isEmpty {
                let end = below?.key ?? old.close
                let start = above.map { before.document.end(of: $0).token + 1 } ?? end
                for token in min(start, end)...end { before.loosen(token, .all) }
            }
            return after.mark(entry.key...(entry.comma ?? entry.value.tokens.upperBound), .cut)
        }
        guard after.cut(entry) else {
            // A comment that is behind a removed entry and goes on on the next line may be behind the new one.
            if removed.allSatisfy({ before.document.end(of: $0).unclear.isEmpty }) {
                complain("\(name) has no line of its own")
            }
            return before.loosen(below?.key ?? old.close, .all)
        }
        let tokens = after.document.tokens[entry.key...after.document.end(of: entry).token]
        if tokens.contains(where: { $0.kind == .comment }) { complain("\(name) has a comment") }
        checkLine(of: entry, old, name)
        guard removed.isEmpty else { return }
        if index > 0 {
            if !isDirectlyBelow(entry, new.entries[index - 1]) { complain("\(name) is not below the entry before") }
        } else if new.entries.count > 1 {
            checkFirst(entry, new.entries[1], name)
        }
    }

    private func isLineEnd(
        between above: TextDocument.Entry?, _ below: TextDocument.Entry?, in old: TextDocument.Object
    ) -> Bool {
        let start = above.map { before.document.end(of: $0).token } ?? old.open
        let end = below?.key ?? old.close
        // In another order, there is nothing between them.
        guard start < end else { return false }
        return before.document.tokens[start..<end].contains { $0.kind == .lineEnd }
            && above.map { before.document.lineEnd(behind: before.document.end(of: $0).token) != nil } ?? true
            && below.map { before.document.lineStart(of: $0.key) != nil } ?? true
    }

    private func entries(
        between above: TextDocument.Entry?, _ below: TextDocument.Entry?, in old: TextDocument.Object
    ) -> [TextDocument.Entry] {
        old.entries.filter { $0.key > above?.key ?? 0 && $0.key < below?.key ?? .max }
    }

    /// Its indentation is that of a sibling, its line end that of the file.
    private mutating func checkLine(of entry: TextDocument.Entry, _ old: TextDocument.Object, _ name: String) {
        let document = after.document
        let start = document.lineStart(of: entry.key) ?? entry.key
        let indentations = old.entries.compactMap { sibling in
            before.document.lineStart(of: sibling.key).map { before.document.text($0..<sibling.key) }
        }
        if !indentations.contains(document.text(start..<entry.key)) { complain("\(name) is indented otherwise") }
        // The line end behind a new entry is that of the entry in front of it.
        if hasMixedLineEnds { return }
        let lineEnd = before.document.tokens.first { $0.kind == .lineEnd }
        for token in document.tokens[start..<min(document.end(of: entry).token + 2, document.tokens.count)]
        where token.kind == .lineEnd && token != lineEnd {
            complain("\(name) has other line ends")
        }
    }

    private func isDirectlyBelow(_ entry: TextDocument.Entry, _ above: TextDocument.Entry) -> Bool {
        let document = after.document
        guard let lineEnd = document.lineEnd(behind: document.end(of: above).token) else { return false }
        return document.lineStart(of: entry.key) == lineEnd + 1
    }

    /// A first entry is above the comments that are directly above the next one.
    private mutating func checkFirst(_ entry: TextDocument.Entry, _ next: TextDocument.Entry, _ name: String) {
        let document = after.document
        guard let start = document.lineStart(of: entry.key) else { return }
        if start > 1 {
            let above = document.tokens[..<(start - 1)].lastIndex { $0.kind != .space } ?? 0
            if document.tokens[above].kind == .comment, document.isOnOwnLine(above) {
                complain("\(name) is between a comment and its entry")
            }
        }
        guard let end = document.lineEnd(behind: document.end(of: entry).token) else { return }
        let between = document.tokens[end..<next.key].filter { $0.kind != .space }
        if zip(between, between.dropFirst()).contains(where: { $0.kind == .lineEnd && $1.kind == .lineEnd }) {
            complain("\(name) is too far above the entry below")
        }
    }
}
