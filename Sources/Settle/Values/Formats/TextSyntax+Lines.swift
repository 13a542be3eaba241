extension TextSyntax {
    /// Returns the start of the line with an offset; `nil` if something else precedes the offset on that line.
    func lineStart(of position: Int) -> Int? {
        let start = spaceStart(before: position)
        guard start > 0, bytes[start - 1] != UInt8(ascii: "\n") else { return start }
        return start == utf8ByteOrderMark.count && bytes.starts(with: utf8ByteOrderMark) ? start : nil
    }

    /// Returns the white space before the first text on a line.
    func indentation(of position: Int) -> [UInt8]? {
        lineStart(of: position).map { Array(bytes[$0..<position]) }
    }

    /// Returns the end of the line, if there are only white space and comments up to there. A carriage return alone ends
    /// the line, too, because it ends a comment: text before it would become part of that.
    func lineEnd(from start: Int) -> Int? {
        let position = commentsAndSpaceEnd(from: start).space
        guard position < bytes.count else { return position }
        return bytes[position] == UInt8(ascii: "\n") || bytes[position] == UInt8(ascii: "\r") ? position : nil
    }

    func lineBreakEnd(at position: Int) -> Int {
        position == bytes.count ? position : isLineBreakOfTwo(position) ? position + 2 : position + 1
    }

    /// Returns the offset after the last comment on the same line.
    func commentsEnd(from start: Int) -> Int { commentsAndSpaceEnd(from: start).comment }

    /// Returns the offset before spaces and tabs.
    func spaceStart(before end: Int) -> Int {
        var position = end
        while position > 0, isSpace(position - 1) { position -= 1 }
        return position
    }

    /// Returns the offset after spaces and tabs.
    func spaceEnd(from start: Int) -> Int {
        var position = start
        while position < bytes.count, isSpace(position) { position += 1 }
        return position
    }

    func hasBreak(_ range: Range<Int>) -> Bool { bytes[range].contains(UInt8(ascii: "\n")) }

    /// Returns the start of the lines that have only comments and are directly above an entry, or of the entry's own
    /// line.
    ///
    /// - Parameter start: The start of the white space and comments before the entry.
    func start(ofCommentsAbove entry: Int, from start: Int) -> Int {
        var position = start
        // The state of the current line.
        var (lineStart, hasComment) = (nil as Int?, false)
        var block: Int?
        while position < entry {
            if let end = commentEnd(at: position) {
                if let lineStart, block == nil { block = lineStart }
                (position, hasComment) = (end, true)
                continue
            }
            if bytes[position] == UInt8(ascii: "\n") {
                if !hasComment { block = nil }
                (lineStart, hasComment) = (position + 1, false)
            }
            position += 1
        }
        return block ?? lineStart ?? entry
    }

    private func commentsAndSpaceEnd(from start: Int) -> (comment: Int, space: Int) {
        var (comment, position) = (start, spaceEnd(from: start))
        while position < bytes.count, let end = commentEnd(at: position) {
            comment = end
            position = spaceEnd(from: end)
        }
        return (comment, position)
    }

    private func isSpace(_ position: Int) -> Bool {
        bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "\t")
    }

    private func isLineBreakOfTwo(_ position: Int) -> Bool {
        bytes[position] == UInt8(ascii: "\r") && position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\n")
    }
}
