/// The name under which a user's changes are stored.
enum UserName {
    /// The maximum number of Unicode scalars.
    private static let limit = 64

    /// Returns a name without control characters and outer spaces, cut to its limit; `nil` if nothing is left.
    ///
    /// It gets into links, logs and histories, where a line break or a long text would do harm.
    static func usable(_ name: String?) -> String? {
        guard let name else { return nil }
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.isControl {
            if scalars.isEmpty, scalar == " " { continue }
            scalars.append(scalar)
            if scalars.count == limit { break }
        }
        while scalars.last == " " { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character or separates lines.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7f...0x9f).contains(value) || value == 0x2028 || value == 0x2029
    }
}
