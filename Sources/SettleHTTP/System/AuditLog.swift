public import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Writes each change of a store's history as a line of JSON that is only ever appended, beyond the bounded history.
///
/// ```swift
/// let audit = AuditLog(of: store, to: .file(URL(filePath: "/var/log/app/settings.jsonl")))
/// try await audit.run()                                    // until the store closes, or the task is cancelled
/// ```
///
/// A line has the time, the author, the keys with their old and new values, and the token in the history. It has
/// changes of every origin: of the API, the panel, the command, other processes, and edits of the file. Of a secret it
/// says only that it has changed. With a file, it resumes after the last token in it, so a restart neither loses nor
/// repeats a change; if the changes in between are no longer known, a line says so. A file without a line, such as one
/// that was rotated just before a restart, starts with `begin`.
public struct AuditLog: Sendable {
    /// Where the lines go.
    public struct Sink: Sendable {
        let write: @Sendable (String) throws -> Void
        /// Returns how far an earlier process has come; nothing if that is not known.
        let written: @Sendable () throws -> Progress

        /// Passes each line to a closure, such as one that writes to the program's log.
        public static func lines(_ write: @escaping @Sendable (String) throws -> Void) -> Sink {
            Sink(write: write, written: { Progress() })
        }

        /// Writes to standard error.
        public static var standardError: Sink { lines { writeToStandardError($0) } }

        /// Sends each line to the system's log, with the facility `user` and the level `notice`. A line is cut off
        /// after 8 KiB, or after the next smaller power of two that the log accepts.
        ///
        /// - Parameter name: The name of the program, without spaces.
        public static func systemLog(as name: String) -> Sink {
            let log = SystemLog(as: name)
            return lines { try log.write($0) }
        }

        /// Appends to a file, which is made with the permissions 0600 if it is missing. Each line is on stable storage
        /// before the next one is written. One process at a time must write it.
        public static func file(_ url: URL) -> Sink {
            let file = AuditFile(FilePath(url.path))
            return Sink(write: { try file.append($0) }, written: { try file.written() })
        }
    }

    /// How far an audit has come.
    struct Progress: Sendable {
        /// The last token that was written.
        var token: ChangeToken?
        /// Whether anything was written, so that a snapshot means that changes are missing.
        var hasBegun = false
    }

    private let store: SettingsStore
    private let sink: Sink
    /// How far this process has come, for a run after one that has failed.
    private let progress = LockedValue(Progress())

    /// Creates an audit of a store.
    public init(of store: SettingsStore, to sink: Sink) {
        (self.store, self.sink) = (store, sink)
    }

    /// Writes changes as they are stored, until the store closes or the task is cancelled.
    ///
    /// - Throws: The error of the sink, such as that of a full disk. After that, call it again to resume with the line
    ///   that could not be written.
    public func run() async throws {
        var reached = progress.withLock { $0 }
        let earlier = try await runBlocking { [sink] in try sink.written() }
        // What is in memory goes first: the last line of the file may be one that could not be synced.
        reached.token = reached.token ?? earlier.token
        reached.hasBegun = reached.hasBegun || earlier.hasBegun
        for await change in store.history.changes(after: reached.token) {
            // Without an earlier line, the first change is a snapshot of what is stored.
            let isSnapshot = change.snapshot != nil
            let json =
                isSnapshot
                ? Self.gap(change, reached.hasBegun) : change.json(for: APIClient(name: ""), in: store)
            if var json {
                if let token = change.token { json["token"] = .string(token.description) }
                let line = SettingValue.dictionary(json).jsonText
                try await runBlocking { [sink] in try sink.write(line) }
            }
            reached = Progress(token: change.token ?? reached.token, hasBegun: true)
            progress.withLock { $0 = reached }
        }
    }

    /// The line for a change before which others are not known.
    private static func gap(_ change: Change, _ isLoss: Bool) -> SettingValue.Entries? {
        let event = isLoss ? "earlier changes are not known" : "begin"
        return ["time": .date(change.time), "event": .string(event)]
    }
}

/// A file to which lines are appended.
private struct AuditFile: Sendable {
    private let path: FilePath
    private let operations = FileOperations(POSIXSystemCalls())

    /// How many bytes are read at once where the last token is looked for.
    private static let blockSize = 1 << 20

    init(_ path: FilePath) { self.path = path }

    func append(_ line: String) throws {
        let file = try operations.open(path, .updateOrCreate(permissions: 0o600))
        defer { try? operations.close(file, at: path) }
        let size = Int(try operations.status(of: file, at: path).size)
        // A line that was cut off by a full disk or a power failure stays, but does not swallow this one.
        let end = try tail(of: file, size: size, limit: 1)
        let separator = end.isEmpty || end == [UInt8(ascii: "\n")] ? "" : "\n"
        try operations.write(Array("\(separator)\(line)\n".utf8), to: file, at: path, offset: size)
        try operations.synchronizeData(file, at: path)
    }

    /// Returns how far the file has come. Lines that were cut off have no token, so those before them count.
    func written() throws -> AuditLog.Progress {
        guard (try? operations.status(at: path)) != nil else { return AuditLog.Progress() }
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        var start = Int(try operations.status(of: file, at: path).size)
        let hasBegun = start > 0
        // From `start` to the end of the last line that was not examined.
        var bytes: [UInt8] = []
        while start > 0 {
            let count = min(start, Self.blockSize)
            start -= count
            bytes = try operations.read(file, at: path, offset: start, count: count) + bytes
            while let newline = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                if let token = Self.token(in: bytes[(newline + 1)...]) {
                    return AuditLog.Progress(token: token, hasBegun: hasBegun)
                }
                bytes.removeSubrange(newline...)
            }
        }
        return AuditLog.Progress(token: Self.token(in: bytes[...]), hasBegun: hasBegun)
    }

    /// The token in a line.
    private static func token(in line: ArraySlice<UInt8>) -> ChangeToken? {
        guard case .dictionary(let json)? = try? SettingValue(json: Data(line)),
            case .string(let text)? = json["token"]
        else { return nil }
        return ChangeToken(text)
    }

    private func tail(of file: FileDescriptor, size: Int, limit: Int) throws -> [UInt8] {
        let count = min(size, limit)
        return try operations.read(file, at: path, offset: size - count, count: count)
    }
}
