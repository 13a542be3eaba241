/// The ranges of one dictionary's entries in a text.
struct DictionarySpans {
    /// An entry. A large file has many of them, and most are only skipped: so these are small, and names are read on
    /// demand.
    struct Entry {
        private let places: (keyStart: UInt32, keyEnd: UInt32, valueStart: UInt32, valueEnd: UInt32)
        /// Whether the key is spelled without escapes.
        let isPlain: Bool

        init(key: Range<Int>, value: Range<Int>, isPlain: Bool = false) {
            places = (
                UInt32(key.lowerBound), UInt32(key.upperBound), UInt32(value.lowerBound), UInt32(value.upperBound)
            )
            self.isPlain = isPlain
        }

        /// The key with its quotation marks or tags.
        var key: Range<Int> { Int(places.keyStart)..<Int(places.keyEnd) }
        var value: Range<Int> { Int(places.valueStart)..<Int(places.valueEnd) }
        var start: Int { Int(places.keyStart) }
    }

    /// The range between its brackets.
    var interior: Range<Int>
    var entries: [Entry] = []
}

/// The properties of a format that ``TextRewriter`` needs.
protocol TextSyntax {
    var bytes: [UInt8] { get }
    /// The layout of a text that is newly written.
    static var layout: TextLayout { get }
    /// Returns the bytes between a key and its value, if no entry of the text shows them.
    static func joint(in layout: TextLayout) -> [UInt8]
    static var hasCommas: Bool { get }
    /// The brackets of a dictionary that is newly written.
    static var brackets: (opening: String, closing: String) { get }
    /// The bytes between entries on one line.
    static var gap: [UInt8] { get }

    /// Returns the offset of the outermost dictionary.
    mutating func root() throws(FormatError) -> Int
    /// - Returns: `nil` if the value that begins there is not a dictionary.
    mutating func dictionary(at position: Int) throws(FormatError) -> DictionarySpans?
    mutating func value(at position: Int) throws(FormatError) -> (value: SettingValue, end: Int)
    mutating func name(of entry: DictionarySpans.Entry) throws(FormatError) -> String
    /// Returns the offset of the value of a name in the text.
    ///
    /// - Returns: `nil` if the name has other characters than letters, digits, hyphens and underscores, may be spelled
    ///   in several ways, or occurs in the text more than once, including as a value or within a comment.
    mutating func value(ofOnly name: String) throws(FormatError) -> Int?
    /// The offset of the first line feed that is surely not within a value.
    var firstLineBreak: Int? { get }
    /// Returns the offset of the comma that follows an entry.
    func comma(behind entry: DictionarySpans.Entry) -> Int?
    /// - Returns: `nil` if no comment begins there.
    func commentEnd(at position: Int) -> Int?

    static func spelling(of key: String) throws(FormatError) -> [UInt8]
    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8]
}
