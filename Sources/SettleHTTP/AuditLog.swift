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
/// says only that it has changed. With a file, it resumes after the last line's token, so a restart neither loses nor
/// repeats a change; if the changes in between are no longer known, a line says so.
public struct AuditLog: Sendable {
    /// Where the lines go.
    public struct Sink: Sendable {
        let write: @Sendable (String) throws -> Void
        /// Returns the last line that was written; `nil` if that is not known.
        let lastLine: @Sendable () throws -> String?

        /// Passes each line to a closure, such as one that writes to syslog or to the program's log.
        public static func lines(_ write: @escaping @Sendable (String) throws -> Void) -> Sink {
            Sink(write: write, lastLine: { nil })
        }

        /// Writes to standard error.
        public static var standardError: Sink { lines { writeToStandardError($0) } }

        /// Appends to a file, which is made with the permissions 0600 if it is missing. Each line is on stable storage
        /// before the next one is written. One process at a time must write it.
        public static func file(_ url: URL) -> Sink {
            let file = AuditFile(FilePath(url.path))
            return Sink(write: { try file.append($0) }, lastLine: { try file.lastLine() })
        }
    }

    private let store: SettingsStore
    private let sink: Sink

    /// Creates an audit of a store.
    public init(of store: SettingsStore, to sink: Sink) {
        (self.store, self.sink) = (store, sink)
    }

    /// Writes changes as they are stored, until the store closes or the task is cancelled.
    ///
    /// - Throws: The error of the sink, such as that of a full disk. After that, call it again to resume.
    public func run() async throws {
        let last = try sink.lastLine().flatMap { Self.token(in: $0) }
        var hasBegun = last != nil
        for await change in store.history.changes(after: last) {
            // Without an earlier line, the first change is a snapshot of what is stored.
            let json = change.snapshot == nil ? change.json(for: APIClient(name: "")) : Self.gap(change, hasBegun)
            hasBegun = true
            guard var json else { continue }
            if let token = change.token { json["token"] = .string(token.description) }
            try sink.write(SettingValue.dictionary(json).jsonText)
        }
    }

    /// The line for a change before which others are not known.
    private static func gap(_ change: Change, _ isLoss: Bool) -> SettingValue.Entries? {
        let event = isLoss ? "earlier changes are not known" : "begin"
        return ["time": .date(change.time), "event": .string(event)]
    }

    /// The token in a line.
    private static func token(in line: String) -> ChangeToken? {
        guard case .dictionary(let json)? = try? SettingValue(json: Data(line.utf8)),
            case .string(let text)? = json["token"]
        else { return nil }
        return ChangeToken(text)
    }
}

/// A file to which lines are appended.
private struct AuditFile: Sendable {
    private let path: FilePath
    private let operations = FileOperations(POSIXSystemCalls())

    /// A line is at most that long where the last one is looked for.
    private static let tailSize = 1 << 20

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

    /// Returns the last complete line; `nil` if there is none.
    func lastLine() throws -> String? {
        guard (try? operations.status(at: path)) != nil else { return nil }
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        let size = Int(try operations.status(of: file, at: path).size)
        var bytes = try tail(of: file, size: size, limit: Self.tailSize)[...]
        guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
        bytes = bytes[..<end]
        let start = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    private func tail(of file: FileDescriptor, size: Int, limit: Int) throws -> [UInt8] {
        let count = min(size, limit)
        return try operations.read(file, at: path, offset: size - count, count: count)
    }
}
