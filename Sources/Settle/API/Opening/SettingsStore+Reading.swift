#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension FileStorage {
    /// Creates the storage of a file that is read with its journal, and never written, created, renamed, repaired or
    /// locked.
    ///
    /// - Parameter isFollowed: Whether it may be watched. If not, no queue and no system watch is created.
    package convenience init(reading file: URL, isFollowed: Bool) {
        self.init(
            at: file, calls: ReadOnlySystemCalls(POSIXSystemCalls()),
            watching: isFollowed ? SystemFileWatching.shared : nil, isReader: true)
    }

    package typealias FoundSchema = (path: FilePath, bytes: [UInt8])

    /// Returns the schema of a file's settings, with its path; `nil` if there is none.
    ///
    /// A program writes it beside the file itself, not beside a link to it. A machine's own file (`settings@host.json`)
    /// has the settings of the file for all machines.
    ///
    /// - Throws: ``StorageError`` if there may be a schema that can't be read. A value that could be a secret must not
    ///   be shown.
    package static func schema(of file: URL) throws(StorageError) -> FoundSchema? {
        let path = FilePath(file)
        if let own = try schema(besides: path) { return own }
        let name = path.name
        guard let end = name.lastIndex(of: "@"), end > name.startIndex else { return nil }
        let ending = name[end...].lastIndex(of: ".").map { String(name[$0...]) } ?? ""
        return try schema(besides: path.sibling(named: String(name[..<end]) + ending))
    }

    private static func schema(besides path: FilePath) throws(StorageError) -> FoundSchema? {
        let operations = FileOperations(POSIXSystemCalls())
        var schema = FileNames(path).schema
        do throws(FileError) {
            schema = FileNames(try operations.resolve(path).resolved).schema
            return (schema, try operations.contents(of: schema))
        } catch {
            guard error.cause == .notFound || error.cause == .notFolder else { throw .unreadable(schema, error) }
            return nil
        }
    }

    /// Returns the defect in the contents of a file, with the line; `nil` if the contents are not the problem.
    package static func damage(of file: URL) -> StorageError? {
        damage(of: FilePath(file), FileOperations(POSIXSystemCalls()))
    }

    static func damage(of path: FilePath, _ operations: FileOperations) -> StorageError? {
        guard let bytes = try? operations.contents(of: path), !bytes.isEmpty else { return nil }
        do throws(FormatError) {
            _ = try (FileFormat.detect(bytes) ?? .json).decode(bytes)
            return nil
        } catch {
            return StorageError(.unreadable, "“\(path)” can't be used as it is. \(error)")
        }
    }
}

extension SettingsStore {
    /// Opens a store that follows a file of another program. Its changes can't be saved, and nothing else opens it.
    package static func open(reading file: URL, searching: SearchList) async throws -> SettingsStore {
        try await open(at: file, searching: searching, in: StoreRegistry()) {
            FileStorage(reading: file, isFollowed: true)
        }
    }
}
