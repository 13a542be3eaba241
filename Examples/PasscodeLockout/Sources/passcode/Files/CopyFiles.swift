import Foundation
import Settle

/// The files of one copy of a lock in one folder: its settings file, and what the store keeps beside it.
struct CopyFiles {
    let folder: URL
    private let name: String

    /// Those in the folder of the file itself, where a symbolic link leads, and in that of its state, if it is another
    /// one.
    static func all(of file: URL) -> [CopyFiles] {
        let file = file.resolvingSymlinksInPath()
        let (folder, state) = (file.deletingLastPathComponent(), FileStorage.stateFolder(of: file))
        let folders = state.path == folder.path ? [folder] : [folder, state]
        return folders.map { CopyFiles(folder: $0, name: file.lastPathComponent) }
    }

    private init(folder: URL, name: String) {
        (self.folder, self.name) = (folder, name)
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

    /// Journal, earlier version, lock files and unfinished versions are hidden; the schema, and damaged ones that were
    /// put aside, are not.
    private func isMine(_ other: String) -> Bool {
        other == name || other == schemaName || other.hasPrefix(".\(name).") || other.hasPrefix("\(name).corrupt-")
            || other.hasPrefix("\(name).journal.corrupt-")
    }
}
