/// Where the entries of one dictionary stand in a text.
struct DictionarySpans {
    /// A large file has many of them, and most are only passed by: so these are small, and names are read when they are
    /// asked for.
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

        /// With its quotation marks or tags.
        var key: Range<Int> { Int(places.keyStart)..<Int(places.keyEnd) }
        var value: Range<Int> { Int(places.valueStart)..<Int(places.valueEnd) }
        var start: Int { Int(places.keyStart) }
    }

    /// What is between its brackets.
    var interior: Range<Int>
    var entries: [Entry] = []
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
    mutating func name(of entry: DictionarySpans.Entry) throws(FormatError) -> String
    /// Whether no name of the text can have an escape for a letter, a digit, a hyphen or an underscore.
    var spellsNamesPlainly: Bool { get }
    /// Where the value begins that has a name which is in the text. Asked only if names are spelled plainly.
    ///
    /// - Returns: `nil` if the name has other characters than those above, or stands in the text more than once, also
    ///   as a value or within a comment.
    mutating func value(ofOnly name: String) throws(FormatError) -> Int?
    /// Where the comma is that follows an entry.
    func comma(behind entry: DictionarySpans.Entry) -> Int?
    /// - Returns: `nil` if no comment begins there.
    func commentEnd(at position: Int) -> Int?

    static func spelling(of key: String) throws(FormatError) -> [UInt8]
    static func spelling(of value: SettingValue, in layout: TextLayout) throws(FormatError) -> [UInt8]
}
