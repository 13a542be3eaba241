package import Foundation
import Synchronization

/// A folder that goes with its last reference, and when the program is ended by a signal.
package final class TemporaryFolder: Sendable {
    package let url: URL

    private static let all = Mutex<Set<String>>([])
    private static let signals = Mutex<SignalWatch?>(nil)

    package init(_ name: String) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let path = url.path
        Self.all.withLock { _ = $0.insert(path) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
        let path = url.path
        Self.all.withLock { _ = $0.remove(path) }
    }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    /// Lets SIGINT, SIGTERM and SIGHUP remove all folders before they end the process. The children end with it.
    package static func removeOnSignals() {
        signal(SIGPIPE, SIG_IGN)
        let watch = SignalWatch { number in
            for path in all.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
            _exit(128 + number)
        }
        signals.withLock { $0 = watch }
    }
}
