import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A domain with its file.
struct DomainAddress: Sendable {
    /// The name as `defaults` has it in its messages.
    let name: String
    let file: URL

    static let globalName = "NSGlobalDomain"
    static let globalNames = [globalName, "Apple Global Domain", "-g", "-globalDomain"]

    init(name: String, file: URL) throws(CommandFailure) {
        #if os(macOS)
            // The system's own server would write its older values over ours.
            guard !file.standardizedFileURL.path.contains("/Library/Preferences/") else {
                throw CommandFailure(.refused, "\"\(file.path)\" belongs to the system's cfprefsd. Use “defaults”.")
            }
        #endif
        (self.name, self.file) = (name, file)
    }

    /// What is stored, read with its journal; nothing is written or repaired.
    ///
    /// - Throws: ``CommandFailure`` if it can't be read.
    func contents() throws(CommandFailure) -> StorageContents {
        let storage = FileStorage(reading: file, isFollowed: false)
        defer { storage.close() }
        do {
            return try storage.load()
        } catch {
            guard let damage = FileStorage.damage(of: file) else { throw CommandFailure(.failed, "\(error)") }
            throw CommandFailure(.refused, "\(damage) “check” says what can be salvaged.")
        }
    }

    /// What a program would find that opens the files and repairs them. It is tried on copies.
    func salvaged() throws -> StorageContents {
        let folder = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (own, copy) = (
            FileNames(FilePath(file.path)), FileNames(FilePath(folder.path).appending(file.lastPathComponent))
        )
        for name in [\FileNames.file, \.journal, \.history, \.previous] {
            try? FileManager.default.copyItem(atPath: own[keyPath: name].text, toPath: copy[keyPath: name].text)
        }
        let storage = FileStorage(at: URL(filePath: copy.file.text))
        defer { storage.close() }
        var contents = try storage.load()
        contents.outcome = contents.outcome.replacing(folder.path, with: own.folder.text)
        return contents
    }

    /// What is stored.
    ///
    /// - Throws: ``CommandFailure`` if there is nothing, or if it can't be read.
    func values() throws(CommandFailure) -> SettingTree {
        let contents = try contents()
        guard contents.outcome != .absent else { throw missing }
        return contents.tree
    }

    var missing: CommandFailure { CommandFailure(.absent, "Domain \(name) does not exist") }

    /// What the program has written about its settings, if it has.
    func schema() throws(CommandFailure) -> SettingValue? {
        do {
            return try StoredDomain(name: name, file: file).schema()
        } catch {
            throw CommandFailure(.refused, "\(error)")
        }
    }
}

extension StorageContents.Outcome {
    fileprivate func replacing(_ path: String, with other: String) -> Self {
        switch self {
        case .absent, .intact: self
        case .recovered(let description, let isComplete):
            .recovered(description: description.replacing(path, with: other), isComplete: isComplete)
        case .removed(let description): .removed(description: description.replacing(path, with: other))
        }
    }
}
