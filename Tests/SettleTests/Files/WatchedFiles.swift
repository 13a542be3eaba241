import Foundation
import Settle
import SettleTestSupport
import SettleTesting

/// The implementations of file watching, which make the same promises.
enum WatchedSystem: CaseIterable {
    /// The implementation of this platform.
    case own
    #if os(Linux)
        /// The implementation of Apple's platforms, over a stand-in for the kernel queue.
        case vnodes
    #endif

    /// The kinds that are reported for one of these: both, where the system reports only that something has happened.
    func kinds(_ kind: FileEvents.Kinds) -> FileEvents.Kinds {
        #if os(Linux)
            if self == .own { return kind }
        #endif
        return [.contents, .replaced]
    }

    var watching: SystemFileWatching {
        switch self {
        case .own: .shared
        #if os(Linux)
            case .vnodes: SystemFileWatching(source: VnodeEventSource(InotifyVnodes()))
        #endif
        }
    }
}

/// A folder whose file `a` is watched, and the events reported for it.
final class WatchedFiles: Sendable {
    let folder: TemporaryFolder
    let told = WatchedEvents()
    let watching: SystemFileWatching

    init(_ watching: SystemFileWatching = .shared) throws {
        folder = try TemporaryFolder()
        self.watching = watching
    }

    convenience init(_ system: WatchedSystem) throws {
        try self.init(system.watching)
    }

    var path: FilePath { FilePath(folder.url.path) }

    func watch(_ names: Set<String> = ["a"], in folder: String? = nil) -> any FileWatch {
        watching.watch([folder.map(path.appending) ?? path: names]) { [told] in told.add($0) }
    }

    func write(_ text: String, to name: String = "a") throws {
        // Not through Foundation, which may write to another file first.
        let calls = POSIXSystemCalls()
        let file = try calls.openFile(path.appending(name).text, .updateOrCreate(permissions: 0o600))
        let bytes = Array(text.utf8)
        _ = try bytes.withUnsafeBytes { buffer throws(SystemError) in try calls.writeBytes(file, at: 0, from: buffer) }
        try calls.closeFile(file)
    }

    /// Renames a new file into place, which is one event.
    func put(_ name: String) throws {
        try write("new", to: "not watched")
        try POSIXSystemCalls().renameFile(path.appending("not watched").text, to: path.appending(name).text)
    }

    func makeFolder(_ name: String) throws {
        try POSIXSystemCalls().makeFolder(path.appending(name).text, permissions: 0o700)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path.appending(name).text)
    }
}
