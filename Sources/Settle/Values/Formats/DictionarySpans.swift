/// Where the entries of one dictionary stand in a text.
struct DictionarySpans {
    struct Entry {
        let name: String
        /// From its first character to behind its last one.
        let key: Range<Int>
        let value: Range<Int>
        /// Where the comma is that follows.
        var comma: Int?

        var start: Int { key.lowerBound }
        var end: Int { comma.map { $0 + 1 } ?? value.upperBound }
    }

    /// What is between its brackets.
    var interior: Range<Int>
    var entries: [Entry] = []

    /// Whether the keys are in the order of their bytes.
    var isSorted: Bool {
        zip(entries, entries.dropFirst()).allSatisfy { $0.name.precedesByBytes($1.name) }
    }
}

/// What ``TextRewriter`` has to know of a format.
protocol TextSyntax {
    var bytes: [UInt8] { get }
    /// Of a text that is written anew.
    static var layout: TextLayout { get }
    /// What is between a key and its value, if no entry of the text shows it.
    static func joint(in layout: TextLayout) -> [UInt8]
    static var hasCommas: Bool { get }
    /// What is between entries on one line.
    static var gap: [UInt8] { get }

    /// Where the outermost dictionary begins.
    mutating func root() throws(FormatError) -> Int
    /// - Returns: `nil` if the value that begins there is no dictionary.
    mutating func dictionary(at position: Int) throws(FormatError) -> DictionarySpans?
    mutating func value(at position: Int) throws(FormatError) -> (value: SettingValue, end: Int)
    /// - Returns: `nil` if no comment begins there.
    func commentEnd(at position: Int) -> Int?

    static func spelling(of key: String) throws(FormatError) -> [UInt8]
    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8]
}
