import Settle

extension Cluster {
    /// An error as a sentence: what could not happen, where, why, and what to do.
    ///
    /// - Parameters:
    ///   - act: What was to happen: "stored", "read".
    ///   - keys: The settings that it was to happen to; none for all under the prefix.
    func error(_ failure: GatewayFailure, _ act: String, at keys: [SettingKey] = []) -> StorageError {
        let place = "\(Self.subject(keys)) under “\(space.prefix)” could not be \(act)"
        let at = failure.endpoint.isEmpty ? "" : " at “\(failure.endpoint)”"
        switch failure.kind {
        case .unreached, .unanswered:
            return StorageError(
                .unavailable,
                "\(place): no answer of etcd\(at), because \(failure.reason). Check that a majority of the members runs, and that "
                    + "the endpoints are their client URLs.")
        case .refused(GatewayFailure.Code.permissionDenied):
            return StorageError(
                .permissionDenied,
                "\(place)\(at): \(failure.reason). Give the user a role that may read and write the prefix.")
        case .refused(GatewayFailure.Code.unauthenticated):
            return StorageError(
                .permissionDenied, "\(place)\(at): \(failure.reason). Check the user's name and password.")
        case .refused(GatewayFailure.Code.invalidArgument) where failure.reason.contains("too large"):
            return StorageError(
                .unsupportedValue,
                "\(place)\(at): \(failure.reason). The server's limit is --max-request-bytes, usually 1.5 MiB.")
        case .refused(GatewayFailure.Code.resourceExhausted):
            return StorageError(
                .writeFailed,
                "\(place)\(at): \(failure.reason). If the database is full, run `etcdctl compact` with the newest revision, then "
                    + "`etcdctl defrag` on each member and `etcdctl alarm disarm`; the limit is --quota-backend-bytes.")
        case .refused(let code):
            return StorageError(
                act == "read" ? .unreadable : .writeFailed,
                "\(place)\(at): \(failure.reason) (code \(code)). Check that the endpoint is a member of etcd 3.4 or newer, and "
                    + "what its log says at this time.")
        }
    }

    /// The first few keys: a sentence with a hundred is not read.
    private static func subject(_ keys: [SettingKey]) -> String {
        guard !keys.isEmpty else { return "The settings" }
        let named = keys.prefix(3).map { "“\($0)”" }.joined(separator: ", ")
        return keys.count > 3 ? "\(named) and \(keys.count - 3) more" : named
    }
}
