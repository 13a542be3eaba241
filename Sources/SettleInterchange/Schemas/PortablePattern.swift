/// Regular expressions that mean the same in Swift and in other programs.
///
/// Swift compares characters where others compare code points, and has forms that others lack. ASCII characters, sets
/// of them, groups, alternatives and quantifiers are portable. Classes such as `\d` are not: some programs limit them
/// to ASCII, some apply them to all of Unicode.
struct PortablePattern {
    private var rest: Substring

    static func contains(_ pattern: String) -> Bool {
        guard pattern.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return false }
        var scan = PortablePattern(rest: pattern[...])
        return scan.readAlternatives() && scan.rest.isEmpty
    }

    private mutating func readAlternatives() -> Bool {
        while let next = rest.first, next != ")" {
            rest.removeFirst()
            let isAtom: Bool
            switch next {
            case "|": continue
            case "(": isAtom = readGroup()
            case "[": isAtom = readSet()
            case "\\": isAtom = readEscape()
            case ".": isAtom = rest.first == "*" || rest.first == "+"
            case "^", "$", "*", "+", "?", "{", "}", "]": isAtom = false
            default: isAtom = true
            }
            guard isAtom, readQuantifier() else { return false }
        }
        return true
    }

    private mutating func readGroup() -> Bool {
        if rest.first == "?" {
            guard rest.hasPrefix("?:") else { return false }
            rest.removeFirst(2)
        }
        guard readAlternatives(), rest.first == ")" else { return false }
        rest.removeFirst()
        return true
    }

    /// Reads a set that is not negated: others may match a single code point of a character.
    private mutating func readSet() -> Bool {
        guard let first = rest.first, first != "^", first != "]" else { return false }
        while let next = rest.popFirst(), next != "]" {
            switch next {
            case "\\": guard readEscape(inSet: true) else { return false }
            // Swift subtracts and intersects sets.
            case "[", "&", "~": return false
            case "-" where rest.first == "-": return false
            default: break
            }
            if rest.isEmpty { return false }
        }
        return true
    }

    /// Reads a punctuation character that represents itself.
    private mutating func readEscape(inSet: Bool = false) -> Bool {
        guard let next = rest.popFirst() else { return false }
        return "\\.[](){}*+?|^$/".contains(next) || inSet && next == "-"
    }

    private mutating func readQuantifier() -> Bool {
        switch rest.first {
        case "*", "+", "?": rest.removeFirst()
        case "{":
            guard let end = rest.firstIndex(of: "}"),
                rest[..<end].wholeMatch(of: /\{[0-9]{1,4}(?:,[0-9]{0,4})?/) != nil
            else { return false }
            rest = rest[end...].dropFirst()
        default: return true
        }
        if rest.first == "?" { rest.removeFirst() }
        // A second `+` makes a quantifier possessive in Swift.
        return rest.first.map { !"*+?{".contains($0) } ?? true
    }
}
