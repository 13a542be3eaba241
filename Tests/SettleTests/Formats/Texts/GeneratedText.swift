import Settle
import SettleTesting

/// A random settings file in the style of a random person, who comments at all places.
///
/// Remembers, of each comment, where it was put, so that a check needs no parser to know what it belongs to.
struct GeneratedText {
    /// Where a comment is.
    enum Place: Equatable {
        /// On a line of its own, directly in the dictionary at this path.
        case ownLine(in: [String])
        /// Behind the entry at this path, at the end of its line.
        case behind([String])
        /// Within the entry at this path: between its key and its value, or before its comma.
        case within([String])
        /// Outside of all settings.
        case outside
        /// Where no rule says what happens to it.
        case unclear
    }

    struct Comment {
        var text: String
        var place: Place
    }

    /// How the entries of an object are set.
    enum Layout: CaseIterable { case lines, oneLine, commaFirst, severalPerLine, compact }

    let format: FileFormat
    private(set) var comments: [Comment] = []
    private(set) var bytes: [UInt8] = []

    private var random: SeededGenerator
    private let lineEnd: String
    private let unit: String
    private let commentsPerHundred: Int
    private let hasTrailingCommas: Bool
    private var isXML: Bool { format == .propertyListXML }

    init(seed: UInt64, _ format: FileFormat) {
        self.format = format
        var random = SeededGenerator(seed: seed)
        lineEnd = random.oneOf(5) ? "\r\n" : "\n"
        unit = ["  ", "    ", "\t", "", " ", "  \t"].randomElement(using: &random) ?? ""
        commentsPerHundred = [0, 0, 10, 30].randomElement(using: &random) ?? 0
        hasTrailingCommas = commentsPerHundred > 0 && random.oneOf(3)
        self.random = random
        addFile()
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func addFile() {
        if random.oneOf(8) { add("\u{FEFF}") }
        if isXML, random.oneOf(2) { add(#"<?xml version="1.0" encoding="UTF-8"?>"# + lineEnd) }
        while isCommenting() { addCommentLine(.outside, "") }
        if isXML { add(random.oneOf(2) ? "<plist version=\"1.0\">" + lineEnd : "<plist>") }
        addObject([], "", depth: 0)
        if isXML { add((random.oneOf(2) ? lineEnd : "") + "</plist>") }
        if isCommenting() { addComment(.outside, isLast: true) }
        if !random.oneOf(4) { add(lineEnd) }
        while bytes.last == 0x0A, isCommenting() { addCommentLine(.outside, "") }
    }

    private mutating func isCommenting() -> Bool { Int.random(in: 0..<100, using: &random) < commentsPerHundred }
}

// MARK: Comments

extension GeneratedText {
    /// - Parameter isLast: Whether the line ends behind it, so that it may be one of a line.
    private mutating func addComment(_ place: Place, isLast: Bool) {
        let decoration = ["", "\"", "}", "ü", ",", " x: 1", "don't", "*"].randomElement(using: &random) ?? ""
        let content = "#\(comments.count)# \(decoration)"
        let text =
            isXML ? "<!-- \(content) -->" : isLast && !random.oneOf(3) ? "// \(content)" : "/* \(content) */"
        comments.append(Comment(text: text, place: place))
        add(random.oneOf(3) ? text : " " + text)
    }

    private mutating func addCommentLine(_ place: Place, _ indentation: String) {
        add(indentation)
        addComment(place, isLast: true)
        add(lineEnd)
    }

    private mutating func addInnerTrivia(_ path: [String], _ layout: Layout) {
        if random.oneOf(8) { add(" ") }
        guard isCommenting() else { return }
        addComment(.within(path), isLast: false)
        if layout == .lines, random.oneOf(3) { add(lineEnd + unit) }
    }
}

// MARK: Objects

extension GeneratedText {
    private mutating func addObject(_ path: [String], _ indentation: String, depth: Int) {
        let layout =
            random.oneOf(2) ? Layout.lines : Layout.allCases.randomElement(using: &random) ?? .lines
        let names = names(isRoot: depth == 0)
        let inner = indentation + unit + (random.oneOf(20) ? " " : "")
        add(isXML ? "<dict>" : "{")
        if layout == .lines {
            // Some put a comment behind the brace, which belongs to no entry.
            if isCommenting() { addComment(.unclear, isLast: true) }
            add(lineEnd)
        } else if layout != .compact {
            add(" ")
        }
        let hasTrailingComma = hasTrailingCommas && random.oneOf(2)
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            addEntry(path + [name], inner, layout, depth, comma: !isLast || hasTrailingComma, isLast: isLast)
        }
        if layout == .lines {
            while isCommenting() { addCommentLine(.ownLine(in: path), inner) }
            if random.oneOf(10) { add(lineEnd) }
            add(indentation)
        }
        add(isXML ? "</dict>" : "}")
    }

    private mutating func names(isRoot: Bool) -> [String] {
        let count = Int.random(in: isRoot ? 0...9 : 0...4, using: &random)
        let names = Set((0..<count).compactMap { _ in RandomValues.names.randomElement(using: &random).map(Name.init) })
        let sorted = names.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return random.oneOf(2) ? sorted : sorted.shuffled(using: &random)
    }

    private mutating func addEntry(
        _ path: [String], _ indentation: String, _ layout: Layout, _ depth: Int, comma: Bool, isLast: Bool
    ) {
        if layout == .lines {
            if random.oneOf(8) { add(lineEnd) }
            while isCommenting() { addCommentLine(.ownLine(in: path.dropLast()), indentation) }
            if random.oneOf(12) { add(lineEnd) }
            add(indentation)
        }
        addKey(path.last ?? "", path, layout)
        addValue(path, indentation, depth)
        guard !isXML else { return endEntry(path, indentation, layout, isLast) }
        let isCommaOnNextLine = layout == .commaFirst && !isLast
        if isCommaOnNextLine {
            if isCommenting() { addComment(.within(path), isLast: true) }
            return add(lineEnd + indentation + ", ")
        }
        if comma {
            if isCommenting() { addComment(.within(path), isLast: false) }
            add(random.oneOf(15) ? " ," : ",")
        }
        endEntry(path, indentation, layout, isLast)
    }

    private mutating func endEntry(_ path: [String], _ indentation: String, _ layout: Layout, _ isLast: Bool) {
        switch layout {
        case .lines:
            if isCommenting() { addComment(.behind(path), isLast: true) }
            add(random.oneOf(20) ? "  " : "")
            add(lineEnd)
        case .severalPerLine where random.oneOf(2):
            if isCommenting() { addComment(.behind(path), isLast: true) }
            add(lineEnd + indentation)
        case .compact: break
        default:
            if isCommenting() { addComment(.unclear, isLast: false) }
            add(" ")
        }
    }

    private mutating func addKey(_ name: String, _ path: [String], _ layout: Layout) {
        if isXML {
            add("<key>" + RandomValues.escapedXML(name) + "</key>")
            addInnerTrivia(path, layout)
            if layout == .lines, random.oneOf(2) { add(lineEnd + unit) }
        } else {
            add(RandomValues.quoted(name, &random))
            addInnerTrivia(path, layout)
            add(layout == .compact || random.oneOf(10) ? ":" : ": ")
            addInnerTrivia(path, layout)
        }
    }

    private mutating func addValue(_ path: [String], _ indentation: String, _ depth: Int) {
        guard depth < 4, random.oneOf(4) else {
            return add(
                isXML ? RandomValues.xml(&random) : RandomValues.json(&random, hasComments: commentsPerHundred > 0))
        }
        addObject(path, indentation, depth: depth + 1)
    }
}

extension SeededGenerator {
    /// True one time in `count`.
    mutating func oneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
