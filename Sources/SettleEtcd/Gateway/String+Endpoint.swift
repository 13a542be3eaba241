extension String {
    /// An endpoint without the user and the password that its URL may have, even if a slash in the password makes it an
    /// invalid URL.
    var withoutCredentials: String {
        // What comes before it would be a part of the user or the password, and not a scheme.
        let scheme = firstRange(of: "://").flatMap { self[..<$0.lowerBound].contains { ":@".contains($0) } ? nil : $0 }
        let rest = scheme.map { self[$0.upperBound...] } ?? self[...]
        guard let end = rest.lastIndex(of: "@") else { return self }
        return "\(self[..<rest.startIndex])…\(self[end...])"
    }
}
