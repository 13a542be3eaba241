#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension FileStorage {
    /// A file that is read with its journal, and never written, made, renamed, repaired or locked.
    ///
    /// - Parameter isFollowed: Whether it may be watched. If not, no queue and no watch of the system is made.
    package convenience init(reading file: URL, isFollowed: Bool) {
        self.init(
            at: file, calls: ReadOnlySystemCalls(POSIXSystemCalls()),
            watching: isFollowed ? SystemFileWatching.shared : nil)
    }

    /// The bytes of the schema beside a file; `nil` if there is none that can be read.
    package static func schema(besides file: URL) -> [UInt8]? {
        try? FileOperations(POSIXSystemCalls()).contents(of: FileNames(FilePath(file)).schema)
    }

    /// What is wrong with the contents of a file, with the line; `nil` if that is not it.
    package static func damage(of file: URL) -> StorageError? {
        damage(of: FilePath(file), FileOperations(POSIXSystemCalls()))
    }

    static func damage(of path: FilePath, _ operations: FileOperations) -> StorageError? {
        guard let bytes = try? operations.contents(of: path), !bytes.isEmpty else { return nil }
        do throws(FormatError) {
            _ = try (FileFormat.detect(bytes) ?? .json).decode(bytes)
            return nil
        } catch {
            return StorageError(.unreadable, "\"\(path)\" can't be used as it is. \(error)")
        }
    }
}

extension SettingsStore {
    /// Opens a store that follows a file of another program. Its changes can't be saved, and nothing else opens it.
    package static func open(reading file: URL, searching: SearchList) async throws -> SettingsStore {
        try await open(at: file, searching: searching, in: OpenFiles()) { FileStorage(reading: file, isFollowed: true) }
    }
}
