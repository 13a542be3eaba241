extension String {
    /// An endpoint without the user and the password that its URL may have.
    var withoutCredentials: String {
        let rest = firstRange(of: "://").map { self[$0.upperBound...] } ?? self[...]
        guard let end = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") else { return self }
        return "\(self[..<rest.startIndex])…\(self[end...])"
    }
}
