import Settle
import SettleInterchange

/// The streams of a command.
package protocol CommandTerminal: Sendable {
    /// Whether output goes to a terminal.
    var showsOutput: Bool { get }
    /// The number of columns of that terminal; `nil` if output goes elsewhere.
    var width: Int? { get }
    /// Whether that terminal shows colours, and they are not switched off.
    var showsColour: Bool { get }
    /// Whether a user can be asked.
    var isInteractive: Bool { get }

    /// Writes to standard output.
    ///
    /// - Throws: ``CommandFailure`` if that fails, for example on a full disk. A closed pipe ends the program.
    func write(_ bytes: [UInt8]) throws(CommandFailure)
    /// Writes a line to standard error. If that is closed, the line is lost.
    func complain(_ line: String)
    /// Reads everything on standard input.
    func readInput() throws(CommandFailure) -> [UInt8]
    /// Reads a line that the user types; `nil` at the end of the input.
    func readLine(prompt: String) -> String?
    /// Runs an editor on a file, with this terminal.
    ///
    /// - Returns: The editor's exit code.
    func edit(_ path: String, with editor: String) throws(CommandFailure) -> Int32
    /// Runs a command, whose output goes to standard error.
    ///
    /// - Returns: Its exit code, or 128 and the number of the signal that ended it.
    func run(_ words: [String], variables: [String: String]) throws(CommandFailure) -> Int32
}

extension CommandTerminal {
    /// Writes a line for people. Characters that could make a terminal do or show something else are escaped, even in a
    /// pipe: a pager or a log shows them on a terminal later, and `--json` is there for programs.
    ///
    /// - Parameter keepingLines: Whether it is a text of several lines, rather than one with keys, values or paths,
    ///   which could fake further lines.
    func say(_ line: String, _ style: Style = .plain, keepingLines: Bool = false) throws(CommandFailure) {
        let shown = line.escaped(keeping: keepingLines ? ["\n"] : [])
        try write(Array((style.applied(to: shown, ifShown: showsColour) + "\n").utf8))
    }

    /// Writes a text as `defaults` has it, which scripts read: characters are escaped on a terminal only.
    ///
    /// - Parameter keepingLines: Whether the text has lines of its own, and none from a value.
    func sayAsDefaults(_ text: String, keepingLines: Bool = false) throws(CommandFailure) {
        let shown = showsOutput ? text.escaped(keeping: keepingLines ? ["\n"] : []) : text
        try write(Array("\(shown)\n".utf8))
    }

    /// Writes a value as `defaults` does. On a terminal, a text stays on one line.
    ///
    /// - Parameter text: How it is shown; by default whole.
    func sayValue(_ value: SettingValue, as text: String? = nil) throws(CommandFailure) {
        // The texts in a collection are quoted, with escaped line breaks.
        let isCollection =
            switch value {
            case .array, .dictionary: true
            default: false
            }
        try sayAsDefaults(text ?? DefaultsText.text(of: value), keepingLines: isCollection)
    }
}

/// The style of a text on a terminal with colours.
enum Style: String {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"

    func applied(to text: String, ifShown isShown: Bool) -> String {
        isShown && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// Returns the text without characters that a reader would not see, or that make a terminal do or show something
    /// else: controls, marks that change the direction of text, and invisible ones. Each becomes `\u{202E}`, as in
    /// Swift.
    ///
    /// - Parameters:
    ///   - kept: The characters to leave unchanged.
    ///   - spelling: The spelling of an escaped character.
    func escaped(
        keeping kept: [Unicode.Scalar] = [],
        as spelling: (Unicode.Scalar) -> String = { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    ) -> String {
        guard unicodeScalars.contains(where: { $0.isDeceptive && !kept.contains($0) }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isDeceptive, !kept.contains(scalar) {
                result += spelling(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isDeceptive: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return true
        default: return properties.isDefaultIgnorableCodePoint
        }
    }
}
