import Settle

extension WebRequest {
    /// The field `Authorization`. It shares the memory of the server's request.
    var authorization: Secret<String>? { value(of: "authorization").map { Secret($0) } }

    /// The bearer token of the request; `nil` if it has none, or more than one.
    var bearerToken: Secret<String>? { authorization?.bearerToken }
}

extension Secret<String> {
    /// The bearer token in a field `Authorization`; `nil` if it has none, or more than one.
    var bearerToken: Secret<String>? {
        // By bytes: to find the characters of each request's token would cost more than to compare it.
        let parts = revealed.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bearer" else { return nil }
        return Secret(String(Substring(parts[1])))
    }
}
