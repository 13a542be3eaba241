import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A domain with its file.
struct DomainAddress: Sendable {
    let name: String
    let file: URL

    /// The name as `defaults` writes it in its messages.
    var nameOfDefaults: String { name == Self.globalName ? "kCFPreferencesAnyApplication" : name }

    static let globalName = "NSGlobalDomain"
    static let globalNames = [
        globalName, "Apple Global Domain", "-g", "-globalDomain", ".GlobalPreferences", "kCFPreferencesAnyApplication",
    ]

    init(name: String, file: URL) throws(CommandFailure) {
        try Self.checkOwner(of: file)
        (self.name, self.file) = (name, file)
    }

    /// Returns the contents of the file and its journal. Writes and repairs nothing.
    ///
    /// - Parameter keepsRecord: Whether to include the record beside the settings.
    /// - Throws: ``CommandFailure`` if it can't be read.
    func contents(keepingRecord keepsRecord: Bool = false) throws(CommandFailure) -> StorageContents {
        let storage = FileStorage(reading: file, isFollowed: false)
        defer { storage.close() }
        do {
            var contents = try storage.load()
            if !keepsRecord { _ = MigrationRecord(takenFrom: &contents.tree) }
            return contents
        } catch {
            guard let damage = FileStorage.damage(of: file) else { throw CommandFailure(.failed, "\(error)") }
            throw CommandFailure(.refused, "\(damage) “check” reports what can be salvaged.")
        }
    }

    /// Refuses a file of the system's own server, which would overwrite our values with its older ones. A link does not
    /// circumvent this.
    static func checkOwner(of file: URL) throws(CommandFailure) {
        #if os(macOS)
            let path = FilePath(file.standardizedFileURL.path)
            let resolved = (try? FileOperations(POSIXSystemCalls()).resolve(path).resolved) ?? path
            for path in [path, resolved] where path.text.lowercased().contains("/library/preferences/") {
                throw CommandFailure(.refused, "“\(path)” belongs to the system's cfprefsd. Use “defaults”.")
            }
        #endif
    }

    /// Returns the contents that a program would find after repairing the files. Works on copies.
    func salvaged() throws -> StorageContents {
        let copy = try DomainFilesCopy(of: file)
        defer { copy.remove() }
        return try copy.salvaged()
    }

    /// Returns the stored values.
    ///
    /// - Throws: ``CommandFailure`` if there are none, or if they can't be read.
    func values() throws(CommandFailure) -> SettingTree {
        let contents = try contents()
        guard contents.outcome != .absent else { throw missing }
        return contents.tree
    }

    var missing: CommandFailure { CommandFailure(.absent, "Domain \(nameOfDefaults) does not exist") }

    /// Returns the schema that the program has written, if any.
    func schema() throws(CommandFailure) -> SettingValue? {
        do {
            return try ProgramDomain(name: name, file: file).schema()
        } catch {
            throw CommandFailure(.refused, "\(error)")
        }
    }
}
