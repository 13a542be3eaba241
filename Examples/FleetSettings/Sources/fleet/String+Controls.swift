/// Anybody who may write the prefix chooses texts that are printed: a terminal must not obey them.
extension String {
    /// The text with a mark in place of each control, line break and invisible character.
    var withoutControls: String { replacingControls { _ in "\u{FFFD}" } }

    /// JSON with escapes in place of these characters, which it has only in strings: it is still the same value. Its
    /// line breaks are between the values, and stay.
    var withEscapedControls: String {
        replacingControls(except: "\n") { scalar in
            String(Character(scalar)).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private func replacingControls(
        except kept: Unicode.Scalar? = nil, by spelling: (Unicode.Scalar) -> String
    ) -> String {
        guard unicodeScalars.contains(where: { $0.isControl && $0 != kept }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl, scalar != kept {
                result += spelling(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        if isASCII { return value < 0x20 || value == 0x7F }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
