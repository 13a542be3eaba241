#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The settings that one of the user's programs has stored in the standard location, for tools that show the settings
/// of all programs.
///
/// ```swift
/// for domain in ProgramDomain.all() {
///     let store = try await SettingsStore.open(at: domain.file)
///     …
/// }
/// ```
public struct ProgramDomain: Sendable, Hashable {
    /// The name, such as `com.example.app`.
    public let name: String
    /// The settings file.
    public let file: URL

    package init(name: String, file: URL) {
        (self.name, self.file) = (name, file)
    }

    /// Creates the domain of a name, with its existing file, or the file that its first value will create.
    ///
    /// - Throws: ``SettingsError`` if the name can't be that of a folder.
    public init(named name: String) throws(SettingsError) {
        let location = StandardLocation()
        let file = try location.checkedFile(forStore: name)
        self.init(name: name, file: location.existingFile(ofDomain: name) ?? file)
    }

    /// Returns the user's domains that have a file, sorted by name. Opens nothing.
    public static func all() -> [ProgramDomain] { StandardLocation().domains() }

    /// Returns the JSON Schema that the program has left beside the file; see `file.writeSchema()` of a store with
    /// `SettleInterchange`.
    ///
    /// - Returns: `nil` if it has left none.
    /// - Throws: ``SettingsError`` that names the schema's file, if it can't be read.
    public func schema() throws(SettingsError) -> SettingValue? {
        let found: FileStorage.FoundSchema?
        do throws(StorageError) {
            found = try FileStorage.schema(of: file)
        } catch {
            throw SettingsError(.unusableValue, "The schema can't be used. \(error)", underlying: error)
        }
        guard let found else { return nil }
        do {
            return try SettingValue(json: Data(found.bytes))
        } catch {
            throw SettingsError(
                .unusableValue, "The schema “\(found.path)” can't be used. \(error)", underlying: error)
        }
    }
}

extension StandardLocation {
    /// Returns the domains that have a file in this location, sorted by name.
    package func domains() -> [ProgramDomain] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folderPath)) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted { $0.precedesByBytes($1) }.compactMap { name in
            existingFile(ofDomain: name).map { ProgramDomain(name: name, file: $0) }
        }
    }

    /// Returns the file of a domain that has one, in either format.
    package func existingFile(ofDomain name: String) -> URL? {
        guard let json = try? file(forStore: name) else { return nil }
        if Self.isThere(json) { return json }
        let list = json.deletingPathExtension().appendingPathExtension("plist")
        return Self.isThere(list) ? list : nil
    }

    /// Returns whether there is a file, or the journal of a removed one.
    package static func isThere(_ file: URL) -> Bool {
        // Every reading verb of the command calls this, so it makes system calls and nothing else.
        let operations = FileOperations(POSIXSystemCalls())
        func isThere(_ path: FilePath) -> Bool { (try? operations.status(at: path)) != nil }
        let path = FilePath(file)
        if let status = try? operations.status(at: path), status.kind != .symbolicLink { return true }
        // A link may lead nowhere. The remains of a removed file are beside the link's target.
        guard let target = try? operations.resolve(path).resolved else { return isThere(path) }
        return isThere(target) || isThere(FileNames(target).journal)
    }
}
