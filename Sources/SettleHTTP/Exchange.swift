#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request, and the facts about it that become known while it is answered.
///
/// An object, like ``AdmittedCall``: a task keeps the memory of its deepest frames until its connection ends, so those
/// that wait for an answer hold references.
final class Exchange {
    let request: WebRequest
    let target: RequestTarget
    let start: Date
    let id: String
    var route: String?
    var client: String?
    /// The error that is only for the log.
    var failure: String?

    init(_ request: WebRequest, at start: Date) {
        (self.request, self.start) = (request, start)
        target = RequestTarget(request.target)
        id = RequestID.of(request)
    }
}

/// A request that has a route, and a client that may use it.
final class AdmittedCall: Sendable {
    let call: APICall
    let route: Route
    /// Whether the route is open to everyone.
    let isOpen: Bool
    /// The `Idempotency-Key` of a write.
    let idempotencyKey: String?

    init(_ call: APICall, _ route: Route, isOpen: Bool, idempotencyKey: String? = nil) {
        (self.call, self.route, self.isOpen, self.idempotencyKey) = (call, route, isOpen, idempotencyKey)
    }
}
