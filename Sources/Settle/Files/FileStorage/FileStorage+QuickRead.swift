#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension FileStorage {
    /// Returns one value of a settings file, if that is possible without a storage: the newest checkpoint in the
    /// journal is this very file, and there is no schema that declares values to be secrets.
    ///
    /// It is the value that ``load()`` would return. A storage takes ten times as long, most of it for the types of its
    /// data in memory, which a program that ends at once never needs.
    ///
    /// - Parameter key: Without backslashes and empty names. A value that is stored under that very name comes first.
    /// - Returns: `nil` if a storage has to load the file, also for a missing value, and for one whose type only the
    ///   journal has.
    package static func valueAtFirstSight(of key: String, in path: FilePath) -> SettingValue? {
        // Not by `FileOperations`, which makes sentences of errors: here each error means that a storage has to load
        // the file.
        let (names, calls) = (FileNames(path), POSIXSystemCalls())
        // If a link leads to the folder, the journal is where that folder's journal is.
        if names.isStateApart, isBehindLink(path, calls) { return nil }
        // The file first: the journal, which is read later, then knows every version of the file that a program wrote.
        guard let bytes = contents(of: names.file, calls), let journal = contents(of: names.journal, calls),
            bytes.first == UInt8(ascii: "{"), isMissing(names.schema, calls),
            journal.withUnsafeBytes({ JournalEnd.version(in: $0) }) == FileVersion(of: bytes)
        else { return nil }
        var search = JSONSearch(bytes)
        return search.scalar(at: key).flatMap { $0.maySpellAnother ? nil : $0 }
    }

    /// Returns the bytes of a file; `nil` also for a link, beside which there is no journal, and for a large file, for
    /// which starting is not the slow part.
    private static func contents(of path: FilePath, _ calls: POSIXSystemCalls) -> [UInt8]? {
        guard let folder = try? calls.openFile(path.folder.text, .folder) else { return nil }
        defer { try? calls.closeFile(folder) }
        guard let file = try? calls.openEntry(path.name, in: folder, .file) else { return nil }
        defer { try? calls.closeFile(file) }
        guard let status = try? calls.status(of: file), status.kind == .file, status.size <= 1 << 20 else { return nil }
        // One byte more, so that a file that has grown is noticed.
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.size) + 1) { buffer, count in
            count = (try? calls.readBytes(file, at: 0, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return bytes.count == Int(status.size) ? bytes : nil
    }

    private static func isBehindLink(_ path: FilePath, _ calls: POSIXSystemCalls) -> Bool {
        var folder = path.folder
        while folder.folder != folder {
            guard let status = try? calls.status(at: folder.text), status.kind == .folder else { return true }
            folder = folder.folder
        }
        return false
    }

    private static func isMissing(_ path: FilePath, _ calls: POSIXSystemCalls) -> Bool {
        do {
            _ = try calls.status(at: path.text)
            return false
        } catch {
            return error == .notFound
        }
    }
}

extension SettingValue {
    /// Whether a JSON file may have the value in place of a date or data, which the journal preserves.
    fileprivate var maySpellAnother: Bool {
        switch self {
        case .string(let text): Timestamp(iso8601: text) != nil || Data(base64Encoded: text) != nil
        // Seconds since 1970 with a fraction, for years that don't fit into four digits.
        case .real(let seconds): abs(seconds) >= 62_167_219_200
        case .number(let literal): literal.utf8.contains(UInt8(ascii: "."))
        default: false
        }
    }
}
