extension String {
    /// The text with its invisible characters escaped, so that it is one line and reads in one direction.
    var escaped: String {
        guard unicodeScalars.contains(where: \.isInvisible) else { return self }
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isInvisible {
                result.append(contentsOf: scalar.escaped(asASCII: true).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The text without its invisible characters.
    var visible: String {
        String(UnicodeScalarView(unicodeScalars.filter { !$0.isInvisible }))
    }
}

extension Unicode.Scalar {
    /// Whether the character changes how a line is shown, or is not shown at all: line breaks, control characters,
    /// and marks for joining or for the direction of text.
    var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
