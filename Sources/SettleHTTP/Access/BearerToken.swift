import Settle

extension WebRequest {
    /// The bearer token of the request; `nil` if it has none, or more than one.
    var bearerToken: Secret<String>? {
        let parts = value(of: "authorization")?.split(separator: " ") ?? []
        guard parts.count == 2, parts[0] == "Bearer" || parts[0].lowercased() == "bearer" else { return nil }
        return Secret(String(parts[1]))
    }
}
