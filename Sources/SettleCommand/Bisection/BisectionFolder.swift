import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder for the files that a bisection checks.
struct BisectionFolder: Sendable {
    private let folder: ScratchFolder
    private let name: String
    private let format: FileFormat
    private let schema: [UInt8]?

    /// - Parameters:
    ///   - name: The name of the settings file.
    ///   - schema: The schema beside it.
    init(name: String, format: FileFormat, schema: [UInt8]?) throws {
        (self.name, self.format, self.schema) = (name, format, schema)
        folder = try ScratchFolder()
    }

    /// Runs a closure with the path of a file that has some settings. The file is in a folder of its own, so that
    /// nothing from one check is left in the next.
    func withFile<Result>(of settings: SettingTree, _ body: (String) throws -> Result) throws -> Result {
        let inner = folder.url.appending(path: UUID().uuidString)
        let file = inner.appending(path: name, directoryHint: .notDirectory)
        try folder.withCreation {
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
            try Data(try format.encode(settings)).write(to: file)
            if let schema { try Data(schema).write(to: URL(filePath: FileNames(FilePath(file.path)).schema.text)) }
        }
        defer { folder.remove(inner) }
        return try body(file.path)
    }
}
