/// Writes other values into a text, and leaves everything else in it as it is.
///
/// Pure. A value that the text already has, however it is spelled, keeps its bytes, and a dictionary is entered.
/// ``EntryEdits`` has the other rules.
struct TextRewriter<Syntax: TextSyntax> {
    private var syntax: Syntax
    private let lineBreak: [UInt8]
    private var edits: [TextEdit] = []

    init(_ syntax: Syntax) {
        self.syntax = syntax
        let hasReturn = syntax.firstLineBreak.map { $0 > 0 && syntax.bytes[$0 - 1] == UInt8(ascii: "\r") }
        lineBreak = Array((hasReturn == true ? "\r\n" : "\n").utf8)
    }

    /// - Parameter old: As in ``FileFormat/encode(_:into:changing:)``.
    mutating func rewrite(
        to tree: SettingTree, changing old: [SettingKey: SettingValue?]?
    ) throws(FormatError) -> [UInt8] {
        if let old, let edits = try? simpleEdits(to: tree, changing: old) {
            return TextEdit.applied(edits, to: syntax.bytes)
        }
        edits = []
        var layout = Syntax.layout
        layout.lineBreak = lineBreak
        let touched = old.map { old in
            var touched = SettingTree()
            for key in old.keys { touched[key] = .bool(true) }
            return touched.root
        }
        try rewriteDictionary(at: try syntax.root(), to: tree.root, touched, layout)
        return TextEdit.applied(edits, to: syntax.bytes)
    }

    /// Returns the edits, if there are few, and each is of a value without parts whose name occurs only once. Then the
    /// rest of a large text need not be parsed.
    ///
    /// - Returns: `nil` if all of the text has to be parsed. An error means the same.
    private mutating func simpleEdits(
        to tree: SettingTree, changing old: [SettingKey: SettingValue?]
    ) throws(FormatError) -> [TextEdit]? {
        let isSimple = { (value: SettingValue?) in value.map { !$0.isContainer } ?? false }
        guard old.count <= Self.simpleLimit, old.allSatisfy({ isSimple($0.value) && isSimple(tree[$0.key]) }) else {
            return nil
        }
        edits = []
        for (key, old) in old {
            guard let new = tree[key], let name = key.components.last, let start = try syntax.value(ofOnly: name),
                try syntax.value(at: start).value == old
            else { return nil }
            try replace(at: start, with: new, Syntax.layout)
        }
        return edits
    }

    /// With more edits, each of which requires a search of the whole text, that takes longer than parsing it once.
    private static var simpleLimit: Int { 3 }

    /// - Parameters:
    ///   - touched: The names of the entries that may differ, each with the names within it in the same form; `nil` if
    ///     all may.
    ///   - layout: The layout of the dictionary at `position`.
    private mutating func rewriteDictionary(
        at position: Int, to new: SettingValue.Entries, _ touched: SettingValue.Entries?, _ layout: TextLayout
    ) throws(FormatError) {
        guard let spans = try syntax.dictionary(at: position) else {
            return try replace(at: position, with: .dictionary(new), layout)
        }
        var entries = EntryEdits(spans, syntax, in: layout)
        if !entries.hasAnything { return try fill(spans.interior, with: new, layout) }
        // The names left at the end are not in the text.
        var missing = touched ?? new
        let indices =
            touched.map { NameFilter($0).indices(in: spans, of: syntax.bytes) } ?? Array(spans.entries.indices)
        for index in indices {
            let entry = spans.entries[index]
            let name = try syntax.name(of: entry)
            guard let mark = missing.removeValue(forKey: name) else {
                if touched == nil { entries.remove(index) }
                continue
            }
            guard let value = new[name] else {
                entries.remove(index)
                continue
            }
            var inner: SettingValue.Entries?
            if touched != nil, case .dictionary(let names) = mark { inner = names }
            do throws(FormatError) {
                try rewriteValue(at: entry.value.lowerBound, to: value, inner, entries.layout(ofValueAt: index))
            } catch {
                throw error.below(name)
            }
        }
        for name in missing.sortedByKey().map(\.key) {
            if let value = new[name] { try entries.add(name, value) }
        }
        edits += try entries.finish()
    }

    /// Puts entries between the brackets of a dictionary that has none.
    private mutating func fill(
        _ interior: Range<Int>, with new: SettingValue.Entries, _ layout: TextLayout
    ) throws(FormatError) {
        guard !new.isEmpty else { return }
        let (opening, closing) = Syntax.brackets
        let spelling = try Syntax.spelling(of: .dictionary(new), in: layout)
        let bytes = spelling.dropFirst(opening.utf8.count).dropLast(closing.utf8.count)
        edits.append(TextEdit(range: interior, bytes: Array(bytes)))
    }

    private mutating func rewriteValue(
        at position: Int, to value: SettingValue, _ touched: SettingValue.Entries?, _ layout: TextLayout
    ) throws(FormatError) {
        if case .dictionary(let new) = value {
            return try rewriteDictionary(at: position, to: new, touched, layout)
        }
        try replace(at: position, with: value, layout)
    }

    private mutating func replace(
        at position: Int, with value: SettingValue, _ layout: TextLayout
    ) throws(FormatError) {
        let (old, end) = try syntax.value(at: position)
        var layout = layout
        // A list on one line stays on one line.
        if old.hasParts, !syntax.bytes[position..<end].contains(UInt8(ascii: "\n")) { layout.isOneLine = true }
        let new = try Syntax.spelling(of: value, in: layout)
        // Compare the spellings, not the values, which are equal for two zeros and for two forms of a letter.
        guard try new != Syntax.spelling(of: old, in: layout) else { return }
        edits.append(TextEdit(range: position..<end, bytes: new))
    }
}

/// Excludes most names that are not in a set, without reading them.
private struct NameFilter {
    private var marks: UInt64 = 0

    init(_ names: SettingValue.Entries) {
        for name in names.keys { marks |= Array(name.utf8).withUnsafeBytes { Self.mark($0[...]) } }
    }

    /// Returns the indices of the entries that may have one of the names.
    func indices(in spans: DictionarySpans, of bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            spans.entries.indices.filter { index in
                let entry = spans.entries[index]
                guard entry.isPlain else { return true }
                return marks & Self.mark(bytes[entry.key.lowerBound + 1..<entry.key.upperBound - 1]) != 0
            }
        }
    }

    /// Returns one bit, which the length and the last bytes choose.
    private static func mark(_ name: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        var last: UInt64 = 0
        if name.count >= 8 {
            last = name.base.loadUnaligned(fromByteOffset: name.endIndex - 8, as: UInt64.self)
        } else {
            for byte in name { last = last << 8 | UInt64(byte) }
        }
        return 1 << (((last &+ UInt64(name.count)) &* 0x9E37_79B9_7F4A_7C15) >> 58)
    }
}

extension SettingValue {
    fileprivate var hasParts: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .dictionary(let entries): !entries.isEmpty
        default: false
        }
    }
}

/// A replacement of some bytes.
struct TextEdit {
    var range: Range<Int>
    var bytes: [UInt8] = []

    /// - Parameter edits: In any order. Where two begin at the same offset, that of the first comes first.
    static func applied(_ edits: [TextEdit], to text: [UInt8]) -> [UInt8] {
        guard !edits.isEmpty else { return text }
        let order = edits.indices.sorted {
            (edits[$0].range.lowerBound, $0) < (edits[$1].range.lowerBound, $1)
        }
        var result: [UInt8] = []
        result.reserveCapacity(text.count + edits.reduce(0) { $0 + $1.bytes.count })
        var position = 0
        for edit in order.lazy.map({ edits[$0] }) {
            if position < edit.range.lowerBound { result += text[position..<edit.range.lowerBound] }
            result += edit.bytes
            position = max(position, edit.range.upperBound)
        }
        result += text[position...]
        return result
    }
}
