/// The edits of a text that add entries to one dictionary and remove others.
///
/// Pure. A removed entry takes with it its comma, the comments up to there, and the comment after it on the same line;
/// if it was alone on its lines, these too. A comment on lines of its own stays. A new entry is inserted in the order
/// of the keys, if they are in order, and otherwise after the last one: on a line of its own if the first entry has
/// one, with the same indentation.
struct EntryEdits<Syntax: TextSyntax> {
    private let spans: DictionarySpans
    private var syntax: Syntax
    /// The layout of an entry on a line of its own.
    private let inner: TextLayout
    /// Whether entries have lines of their own.
    private let hasLines: Bool
    private var isRemoved: [Bool]
    private var added: [(name: [UInt8], spelling: [UInt8])] = []

    /// - Parameter layout: The layout of the dictionary.
    init(_ spans: DictionarySpans, _ syntax: Syntax, in layout: TextLayout) {
        self.spans = spans
        self.syntax = syntax
        isRemoved = Array(repeating: false, count: spans.entries.count)
        var inner = layout
        if let first = spans.entries.first {
            let indentation = syntax.indentation(of: first.start)
            hasLines = indentation != nil
            inner.indent(to: indentation ?? [])
        } else {
            hasLines = syntax.hasBreak(spans.interior)
            inner.indentation += inner.unit
        }
        inner.isOneLine = !hasLines
        self.inner = inner
    }

    /// Whether there is an entry or a comment.
    var hasAnything: Bool {
        !spans.entries.isEmpty || spans.interior.contains { !syntax.bytes[$0].isTextSpace }
    }

    /// Returns the layout of a value that replaces another one.
    func layout(ofValueAt index: Int) -> TextLayout {
        var layout = inner
        if let indentation = syntax.indentation(of: spans.entries[index].start) {
            layout.indentation = indentation
            layout.isOneLine = false
        } else {
            layout.isOneLine = true
        }
        return layout
    }

    mutating func remove(_ index: Int) { isRemoved[index] = true }

    /// - Parameter name: After the one before, in the order of the keys.
    mutating func add(_ name: String, _ value: SettingValue) throws(FormatError) {
        do throws(FormatError) {
            let spelling = try Syntax.spelling(of: name) + joint + Syntax.spelling(of: value, in: inner)
            added.append((Array(name.utf8), spelling))
        } catch {
            throw error.below(name)
        }
    }

    /// The bytes between a key and its value.
    private var joint: [UInt8] {
        guard let first = spans.entries.first else { return Syntax.joint(in: inner) }
        let joint = syntax.bytes[first.key.upperBound..<first.value.lowerBound]
        let isPlain = joint.allSatisfy { $0.isTextSpace || $0 == UInt8(ascii: ":") }
        return isPlain ? Array(joint) : Syntax.joint(in: inner)
    }

    // MARK: Edits

    /// Returns all edits.
    mutating func finish() throws(FormatError) -> [TextEdit] {
        guard !added.isEmpty || isRemoved.contains(true) else { return [] }
        let last = isRemoved.lastIndex(of: false)
        let (front, behind) = try groups()
        var edits: [TextEdit] = []
        if Syntax.hasCommas, let last {
            edits += commaEdits(behind: last, isNeeded: endsWithComma || behind[last] != nil)
        }
        if !front.isEmpty { edits.append(insertion(ofFirst: front, before: isRemoved.firstIndex(of: false))) }
        for (index, group) in behind.sorted(by: { $0.key < $1.key }) {
            edits.append(insertion(of: group, behind: index, isLast: index == last))
        }
        for index in isRemoved.indices where isRemoved[index] {
            edits.append(TextEdit(range: removal(of: index, isTail: last.map { index > $0 } ?? true)))
        }
        return edits
    }

    private var endsWithComma: Bool { spans.entries.last.flatMap { syntax.comma(behind: $0) } != nil }

    /// Returns the offset after an entry and its comma.
    private func end(of entry: DictionarySpans.Entry) -> Int {
        syntax.comma(behind: entry).map { $0 + 1 } ?? entry.value.upperBound
    }

    /// Returns the new entries, by the entry that they follow.
    private mutating func groups() throws(FormatError) -> (front: [[UInt8]], behind: [Int: [[UInt8]]]) {
        guard !added.isEmpty else { return ([], [:]) }
        var names = EntryNames(in: syntax.bytes, count: spans.entries.count)
        for entry in spans.entries {
            if entry.isPlain {
                names.append(entry.key.lowerBound + 1..<entry.key.upperBound - 1)
            } else {
                try names.append(syntax.name(of: entry))
            }
        }
        let isSorted = (0..<names.count).dropFirst().allSatisfy { Self.precedes(names[$0 - 1], names[$0]) }
        var front: [[UInt8]] = []
        var behind: [Int: [[UInt8]]] = [:]
        var (position, last) = (0, Int?.none)
        for (name, spelling) in added {
            var next = names.count
            if isSorted {
                var start = position
                while start < next {
                    let middle = (start + next) / 2
                    if Self.precedes(name[...], names[middle]) { next = middle } else { start = middle + 1 }
                }
            }
            last = isRemoved[position..<next].lastIndex(of: false) ?? last
            position = next
            if let last { behind[last, default: []].append(spelling) } else { front.append(spelling) }
        }
        return (front, behind)
    }

    private static func precedes(_ name: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        name.withUnsafeBytes { name in other.withUnsafeBytes { name.precedes($0) } }
    }

    private func commaEdits(behind index: Int, isNeeded: Bool) -> [TextEdit] {
        let entry = spans.entries[index]
        if let comma = syntax.comma(behind: entry) { return isNeeded ? [] : [TextEdit(range: comma..<(comma + 1))] }
        let end = entry.value.upperBound
        return isNeeded ? [TextEdit(range: end..<end, bytes: [UInt8(ascii: ",")])] : []
    }

    // MARK: New entries

    private func insertion(of group: [[UInt8]], behind index: Int, isLast: Bool) -> TextEdit {
        var place = end(of: spans.entries[index])
        if let lineEnd = syntax.lineEnd(from: place) {
            if hasLines { place = lineEnd }
        } else if hasLines || index == spans.entries.count - 1 {
            // Text that the new line, or the bracket, separates from others belongs to the entry.
            place = syntax.commentsEnd(from: place)
        }
        let separator = hasLines ? lineStart : gap
        return TextEdit(
            range: place..<place, bytes: withCommas(group, isLast: isLast).flatMap { separator + $0 })
    }

    /// - Parameter index: The first entry that stays; `nil` if none does.
    private func insertion(ofFirst group: [[UInt8]], before index: Int?) -> TextEdit {
        let group = withCommas(group, isLast: index == nil)
        let place: Int
        if let index {
            let start = spans.entries[index].start
            guard hasLines, syntax.lineStart(of: start) != nil else {
                return TextEdit(range: start..<start, bytes: group.flatMap { $0 + gap })
            }
            let above = index == 0 ? spans.interior.lowerBound : end(of: spans.entries[index - 1])
            place = syntax.start(ofCommentsAbove: start, from: above)
        } else if let first = spans.entries.first {
            guard hasLines, let start = syntax.lineStart(of: first.start) else {
                return TextEdit(range: first.start..<first.start, bytes: Array(group.joined(separator: gap)))
            }
            place = start
        } else {
            let end = spans.interior.upperBound
            guard hasLines, let start = syntax.lineStart(of: end) else {
                return TextEdit(range: end..<end, bytes: Array(group.joined(separator: gap)))
            }
            place = start
        }
        return TextEdit(range: place..<place, bytes: group.flatMap { inner.indentation + $0 + inner.lineBreak })
    }

    private var lineStart: [UInt8] { inner.lineBreak + inner.indentation }

    /// The bytes between entries on one line.
    private var gap: [UInt8] {
        guard spans.entries.count > 1 else { return Syntax.gap }
        let gap = syntax.bytes[end(of: spans.entries[0])..<spans.entries[1].start]
        return gap.allSatisfy(\.isTextSpace) && !gap.contains(UInt8(ascii: "\n")) ? Array(gap) : Syntax.gap
    }

    private func withCommas(_ group: [[UInt8]], isLast: Bool) -> [[UInt8]] {
        guard Syntax.hasCommas else { return group }
        return group.enumerated().map { index, spelling in
            isLast && index == group.count - 1 && !endsWithComma ? spelling : spelling + [UInt8(ascii: ",")]
        }
    }

    // MARK: Removed entries

    /// - Parameter isTail: Whether all entries after it are removed too.
    private func removal(of index: Int, isTail: Bool) -> Range<Int> {
        let entry = spans.entries[index]
        // Spaces in front of it are removed, unless it is the first one: those are the style of the bracket.
        let spaces = syntax.spaceStart(before: entry.start)
        let end = end(of: entry)
        if let lineEnd = syntax.lineEnd(from: end) {
            let start = syntax.lineStart(of: entry.start)
            return start.map { $0..<syntax.lineBreakEnd(at: lineEnd) } ?? spaces..<lineEnd
        }
        guard isTail else { return entry.start..<syntax.spaceEnd(from: end) }
        return (index == 0 ? entry.start : spaces)..<syntax.commentsEnd(from: end)
    }
}

/// The names of the entries of a dictionary. Only those with escapes are read: reading all of them would take longer
/// than everything else.
private struct EntryNames {
    private let text: [UInt8]
    /// The names with escapes, one after the other. A copy of the text would have the size of the file.
    private var escaped: [UInt8] = []
    /// Ranges of the text, or of the other names as if they followed it.
    private var ranges: [Range<Int>] = []

    init(in text: [UInt8], count: Int) {
        self.text = text
        ranges.reserveCapacity(count)
    }

    var count: Int { ranges.count }

    subscript(index: Int) -> ArraySlice<UInt8> {
        let range = ranges[index]
        guard range.lowerBound >= text.count else { return text[range] }
        return escaped[range.lowerBound - text.count..<range.upperBound - text.count]
    }

    mutating func append(_ range: Range<Int>) { ranges.append(range) }

    mutating func append(_ name: String) {
        let start = text.count + escaped.count
        escaped += name.utf8
        ranges.append(start..<text.count + escaped.count)
    }
}
