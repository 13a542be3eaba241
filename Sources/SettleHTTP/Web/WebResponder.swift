/// Something that answers requests below a path of a server: a ``SettingsAPI``, a panel, or a list of panels.
///
/// One adapter for a server carries all of them.
public protocol WebResponder: Sendable {
    /// The path on the server, without a slash at its end; empty for the server's root.
    var path: String { get }
    /// The largest body of a request, in bytes. A larger one is refused with the status 413, and changes nothing. By
    /// default 1 MiB. An adapter may cut off a body that is longer than this, so ``respond(to:)`` must refuse it too.
    var bodySizeLimit: Int { get }

    /// Returns whether it answers requests for a target, which is the whole one of the request line: by default for its
    /// path and everything below it.
    func serves(_ target: String) -> Bool

    /// Answers a request. It never throws: a failure becomes a response.
    func respond(to request: WebRequest) async -> WebResponse
}

extension WebResponder {
    public var bodySizeLimit: Int { 1 << 20 }

    public func serves(_ target: String) -> Bool {
        let (place, path) = (target.utf8.prefix { $0 != UInt8(ascii: "?") }, path.utf8)
        guard place.starts(with: path) else { return false }
        let rest = place.dropFirst(path.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }
}
