import Foundation

/// One copy of a lock: its settings file, and the files that the store keeps beside it.
struct CopyFiles {
    /// The folder of the file itself, where a symbolic link leads.
    let folder: URL
    private let name: String

    init(_ file: URL) {
        let file = file.resolvingSymlinksInPath()
        (folder, name) = (file.deletingLastPathComponent(), file.lastPathComponent)
    }

    private var schemaName: String {
        "\(name.hasSuffix(".json") ? String(name.dropLast(".json".count)) : name).schema.json"
    }

    /// The files that are there: first those with the lock's state, last those that only give processes their turns.
    func present() throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(isMine)
            .sorted { ($0.hasSuffix(".lock") ? 1 : 0, $0) < ($1.hasSuffix(".lock") ? 1 : 0, $1) }
            .map { folder.appending(path: $0) }
    }

    /// Journal, earlier version, lock files and unfinished versions are hidden; the schema, and damaged ones that were put
    /// aside, are not.
    private func isMine(_ other: String) -> Bool {
        other == name || other == schemaName || other.hasPrefix(".\(name).") || other.hasPrefix("\(name).corrupt-")
            || other.hasPrefix("\(name).journal.corrupt-")
    }
}
