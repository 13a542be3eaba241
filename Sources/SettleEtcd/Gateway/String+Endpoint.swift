extension String {
    /// An endpoint without the user and the password that its URL may have, even if a slash in the password makes it an
    /// invalid URL.
    var withoutCredentials: String {
        let rest = firstRange(of: "://").map { self[$0.upperBound...] } ?? self[...]
        guard let end = rest.lastIndex(of: "@") else { return self }
        return "\(self[..<rest.startIndex])…\(self[end...])"
    }
}
