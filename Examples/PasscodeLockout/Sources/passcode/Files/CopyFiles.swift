import Foundation
import Settle

/// The files of one copy of a lock in one folder: its settings file, which may have a policy, and what the store keeps
/// beside it. Of these the state file and the journal have the lock itself.
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

    private var stateName: String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name).state" }
        return "\(name[..<dot]).state\(name[dot...])"
    }

    /// The files that have the copy, or would: for people, of state, and the journal.
    var main: [URL] { [folder.appending(path: name), state, journal] }

    var state: URL { folder.appending(path: stateName) }
    var journal: URL { folder.appending(path: ".\(name).journal") }
    /// The file that gives the tries of all processes their turns.
    var turn: URL { folder.appending(path: ".\(name).passcode.lock") }

    /// The files that are there: first those with the lock's state, last those that only give processes their turns.
    func present() throws -> [URL] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter(isMine)
            .sorted { ($0.hasSuffix(".lock") ? 1 : 0, $0) < ($1.hasSuffix(".lock") ? 1 : 0, $1) }
            .map { folder.appending(path: $0) }
    }

    /// Journal, earlier version, lock files and unfinished versions are hidden; the state, the schema, and damaged ones
    /// that were put aside, are not.
    private func isMine(_ other: String) -> Bool {
        [name, stateName].contains { other == $0 || other.hasPrefix(".\($0).") || other.hasPrefix("\($0).corrupt-") }
            || other == schemaName || other.hasPrefix("\(name).journal.corrupt-")
    }

    /// Whether people write the file, or it has what they wrote before. A lock that was made by an earlier version of
    /// this program has its values there, too.
    func isForPeople(_ file: URL) -> Bool {
        [name, ".\(name).previous", ".\(name).before-migration"].contains(file.lastPathComponent)
    }
}
