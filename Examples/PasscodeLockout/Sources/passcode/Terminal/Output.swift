/// What the program prints. There is no other way to a stream, so no text gets there unescaped.
enum Output {
    /// A sentence, parts of which may come from a file or a person.
    case text(String, Style = .plain)
    /// A JSON value on one line.
    case json(String)
    /// Lines that have no word from a file or a person, such as help.
    case ownLines(String)
    case newline
    /// Clears the terminal's current line, and as many above it.
    case clearLines(above: Int)

    /// The bytes for the stream, as UTF-8.
    func encoded(showsColour: Bool) -> String {
        switch self {
        case .text(let text, let style):
            let escaped = text.escaped(as: .sentence)
            let isStyled = showsColour && style != .plain
            return isStyled ? "\u{1B}[\(style.rawValue)m\(escaped)\u{1B}[0m" : escaped
        case .json(let value): return value.escaped(as: .json)
        case .ownLines(let lines): return lines.escaped(as: .sentence, except: ["\n", "\t"])
        case .newline: return "\n"
        case .clearLines(let above): return (above > 0 ? "\u{1B}[\(above)A" : "") + "\r\u{1B}[J"
        }
    }
}
