extension String {
    enum Notation {
        /// `\\u{202E}`, as in Swift.
        case sentence
        /// `\\u202e`, as in JSON, in which such characters occur only in strings.
        case json
    }

    /// The text without characters that a reader would not see, or that make a terminal do or show something else:
    /// controls, line breaks, marks that change the direction of text, and invisible ones.
    func escaped(as notation: Notation, except kept: Set<Unicode.Scalar> = []) -> String {
        guard unicodeScalars.contains(where: { $0.isDeceptive && !kept.contains($0) }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isDeceptive && !kept.contains(scalar) {
                result += scalar.escaped(as: notation)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isDeceptive: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        // Among them are variation selectors and fillers, which are marks and letters.
        default: properties.isDefaultIgnorableCodePoint
        }
    }

    fileprivate func escaped(as notation: String.Notation) -> String {
        switch notation {
        case .sentence: "\\u{\(String(value, radix: 16, uppercase: true))}"
        case .json:
            UTF16.encode(self).map(Array.init)?.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined() ?? ""
        }
    }
}
