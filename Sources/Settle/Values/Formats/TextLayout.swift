/// The layout of a value in a text.
struct TextLayout: Sendable, Equatable {
    var lineBreak = [UInt8(ascii: "\n")]
    /// The beginning of the line with the value.
    var indentation: [UInt8] = []
    /// The additional indentation of each level's lines.
    var unit: [UInt8]
    /// Whether the whole value is on one line.
    var isOneLine = false
    /// Whether there are spaces after commas and colons.
    var isSpaced = true

    /// Moves to a line within the current ones.
    mutating func indent(to line: [UInt8]) {
        if line.starts(with: indentation), line.count > indentation.count {
            unit = Array(line[indentation.count...])
        }
        indentation = line
    }

    /// A newly written settings file in JSON.
    static let json = TextLayout(unit: Array("  ".utf8))
    /// JSON for programs, without white space.
    static let compactJSON = TextLayout(unit: [], isOneLine: true, isSpaced: false)
    /// A newly written property list.
    static let propertyList = TextLayout(unit: [UInt8(ascii: "\t")])
}
