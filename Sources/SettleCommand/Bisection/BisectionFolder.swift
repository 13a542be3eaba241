import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder of temporary files that is removed even when a signal ends the process.
final class BisectionFolder: Sendable {
    private let url: URL
    private let name: String
    private let format: FileFormat
    private let schema: [UInt8]?
    /// Whether a signal is ending the process. Locked while something is created in the folder, or all of it is
    /// removed.
    private let isEnding = LockedValue(false)

    /// - Parameters:
    ///   - name: The name of the settings file.
    ///   - schema: The schema beside it.
    init(name: String, format: FileFormat, schema: [UInt8]?) throws {
        (self.name, self.format, self.schema) = (name, format, schema)
        url = FileManager.default.temporaryDirectory.appending(path: "settle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        TerminationWatch.shared.add(Set(TerminationSignal.allCases)) { [weak self] in
            guard let self else { return }
            CommandProcess.end()
            isEnding.withLock { isEnding in
                isEnding = true
                remove()
            }
        }
    }

    deinit { remove() }

    private func remove() { try? FileManager.default.removeItem(at: url) }

    /// Runs a closure with the path of a file that has some settings. The file is in a folder of its own, so that
    /// nothing from one check is left in the next.
    func withFile<Result>(of settings: SettingTree, _ body: (String) throws -> Result) throws -> Result {
        let folder = url.appending(path: UUID().uuidString)
        let file = folder.appending(path: name, directoryHint: .notDirectory)
        try isEnding.withLock { isEnding in
            if isEnding { CommandProcess.waitForEnd() }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data(try format.encode(settings)).write(to: file)
            if let schema { try Data(schema).write(to: URL(filePath: FileNames(FilePath(file.path)).schema.text)) }
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(file.path)
    }
}
