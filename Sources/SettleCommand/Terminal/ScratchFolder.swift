import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of temporary files that is removed even when a signal ends the process.
final class ScratchFolder: Sendable {
    let url: URL
    /// Whether a signal is ending the process. Locked while something is created in the folder or removed.
    private let isEnding = LockedValue(false)

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        TerminationWatch.shared.add(Set(TerminationSignal.allCases)) { [weak self] in
            guard let self else { return }
            CommandProcess.end()
            isEnding.withLock { isEnding in
                isEnding = true
                removeNow(url)
            }
        }
    }

    deinit { remove() }

    /// Removes the folder.
    func remove() { remove(url) }

    /// Removes the folder or something in it. One removal at a time: of a signal's and another one, either could fail
    /// at a file that the other has removed, and leave the rest.
    func remove(_ url: URL) { isEnding.withLock { _ in removeNow(url) } }

    private func removeNow(_ url: URL) { try? FileManager.default.removeItem(at: url) }

    /// Runs a closure that creates files in the folder. While a signal ends the process, it waits for that end.
    func withCreation<Result>(_ body: () throws -> Result) throws -> Result {
        try isEnding.withLock { isEnding in
            if isEnding { CommandProcess.waitForEnd() }
            return try body()
        }
    }
}
