/// How a value is laid out in a text.
struct TextLayout: Sendable, Equatable {
    var lineBreak = [UInt8(ascii: "\n")]
    /// What the line begins with on which the value stands.
    var indentation: [UInt8] = []
    /// What the lines of each level begin with beyond those around them.
    var unit: [UInt8]
    /// Whether all of it stands on one line.
    var isOneLine = false
    /// Whether there are spaces behind commas and colons.
    var isSpaced = true

    /// Goes to a line within those at hand.
    mutating func indent(to line: [UInt8]) {
        if line.starts(with: indentation), line.count > indentation.count {
            unit = Array(line[indentation.count...])
        }
        indentation = line
    }

    /// A settings file in JSON, as it is written anew.
    static let json = TextLayout(unit: Array("  ".utf8))
    /// JSON for programs, without white space.
    static let compactJSON = TextLayout(unit: [], isOneLine: true, isSpaced: false)
    /// A property list, as it is written anew.
    static let propertyList = TextLayout(unit: [UInt8(ascii: "\t")])
}
