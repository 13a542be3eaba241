package import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The key that signs a panel's sessions.
///
/// If it is kept in a file that only its user can read, it outlives the program: a restart does not end any session,
/// and removing the file ends all of them. Another file beside it has the list of open sessions.
public struct PanelKey: Sendable, CustomStringConvertible {
    let bytes: [UInt8]
    /// The open sessions and spent links of all panels with this key.
    let register: SessionRegister

    private static let size = 32

    /// Creates a key that exists only as long as the program.
    public init() {
        (bytes, register) = (Self.random(), SessionRegister(file: nil))
    }

    /// Reads the key from a file, or creates the file with a new key and mode 0600. If several programs create it at
    /// the same time, all get the same key. Blocks for a moment.
    ///
    /// - Parameters:
    ///   - file: The file with the key.
    ///   - sessions: The file with the open sessions, in a folder where the program may write; `nil` for the default,
    ///     the name of the key's file with `.sessions.json`. It has names and times, and nothing that admits a user.
    ///     Without it, no user is admitted: removing it ends all sessions, and links that were used in the last
    ///     ``SettingsPanel/Configuration/linkLifetime`` could be used again.
    /// - Throws: ``PanelError`` if the file can't be read or created, if others may read or write it, or if it is not a
    ///   key.
    public init(file: URL, sessions: URL? = nil) throws(PanelError) {
        try self.init(file: file, sessions: sessions, POSIXSystemCalls())
    }

    package init(file: URL, sessions: URL? = nil, _ calls: any SystemCalls) throws(PanelError) {
        let path = FilePath(file.path)
        register = SessionRegister(file: sessions ?? URL(filePath: file.path + ".sessions.json"))
        let operations = FileOperations(calls)
        do throws(FileError) {
            try Self.makeIfMissing(path, operations)
            bytes = try Self.read(path, operations)
        } catch {
            throw PanelError("The key of the panel's sessions can't be used. \(error)")
        }
        guard bytes.count == Self.size else {
            throw PanelError(
                "“\(path.text)” is not a key: it must be a file of \(Self.size) bytes with the permissions 0600. "
                    + "Remove it to have a new one made.")
        }
    }

    /// A fixed name: the key is never shown.
    public var description: String { "PanelKey" }

    private static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Creates the file if it is missing. The new key gets its name only once it is complete, and only if no other
    /// program was faster.
    private static func makeIfMissing(_ path: FilePath, _ operations: FileOperations) throws(FileError) {
        if (try? operations.status(at: path)) != nil { return }
        try operations.makeFolders(path.folder)
        let new = FileNames(path).newTemporary()
        let file = try operations.open(new, .createNew(permissions: 0o600))
        defer { try? operations.remove(new) }
        do throws(FileError) {
            try operations.write(random(), to: file, at: new)
            try operations.synchronize(file, at: new)
        } catch {
            try? operations.close(file, at: new)
            throw error
        }
        try operations.close(file, at: new)
        do throws(FileError) {
            try operations.link(new, to: path)
        } catch {
            guard error.cause == .alreadyExists else { throw error }
        }
        try operations.synchronizeFolder(path.folder)
    }

    /// Reads the file; returns no bytes if others may read or write it.
    private static func read(_ path: FilePath, _ operations: FileOperations) throws(FileError) -> [UInt8] {
        let file = try operations.open(path, .read)
        defer { try? operations.close(file, at: path) }
        let status = try operations.status(of: file, at: path)
        guard status.kind == .file, status.permissions & 0o077 == 0 else { return [] }
        return try operations.readAll(file, at: path, limit: size)
    }
}
