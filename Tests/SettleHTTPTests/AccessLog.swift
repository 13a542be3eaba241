import SettleHTTP
import Synchronization

/// Collects the entries of an access log.
final class AccessLog: Sendable {
    private let entries = Mutex<[APIAccess]>([])

    var all: [APIAccess] { entries.withLock { $0 } }

    func add(_ entry: APIAccess) { entries.withLock { $0.append(entry) } }
}
