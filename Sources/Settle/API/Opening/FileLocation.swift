/// A name in a folder, comparable with others.
///
/// Two paths lead to one file if they lead to one entry of one folder: by another way to the folder, such as a bind
/// mount, or by another spelling of the name where the file system takes both for one. Hard links are two files: a save
/// replaces the entry by its own name, and leaves the other name with its old contents.
struct FileLocation: Sendable {
    let path: FilePath
    /// `nil` if the folder was missing.
    private let folder: FileStatus.Identity?
    /// Equal for all spellings that a file system might take for one. Strings that Unicode calls equal are equal
    /// already.
    private let foldedName: String

    /// Asks the file system.
    init(_ path: FilePath, _ identities: FileIdentities) {
        self.path = path
        folder = identities.identity(path.folder)
        foldedName = path.name.lowercased()
    }

    /// Asks the file system again, but only about places that look the same.
    func isSameFile(as other: FileLocation, _ identities: FileIdentities) -> Bool {
        guard foldedName == other.foldedName, let folder, folder == other.folder ?? folder else { return false }
        // The folders may have been moved since.
        guard identities.identity(other.path.folder) == folder else { return false }
        return path.name.utf8.elementsEqual(other.path.name.utf8) || isSameEntry(as: other, identities)
    }

    private func isSameEntry(as other: FileLocation, _ identities: FileIdentities) -> Bool {
        // A save may replace the file between the two calls.
        for _ in 0..<Self.attempts {
            guard let own = identities.identity(path), let others = identities.identity(other.path) else {
                return false
            }
            if own == others { return !areTwoEntries(path.name, other.path.name, identities.names(path.folder)) }
            if own == identities.identity(path) { return false }
        }
        return false
    }

    /// Whether a folder lists both names, which then are hard links.
    private func areTwoEntries(_ name: String, _ other: String, _ names: [String]) -> Bool {
        [name, other].allSatisfy { name in names.contains { $0.utf8.elementsEqual(name.utf8) } }
    }

    private static let attempts = 16
}

/// Determines whether two paths are one file.
struct FileIdentities: Sendable {
    /// The identity of what is at a path itself, if anything.
    var identity: @Sendable (FilePath) -> FileStatus.Identity?
    /// The names in a folder, as the file system spells them.
    var names: @Sendable (FilePath) -> [String]

    static let system = FileIdentities(by: POSIXSystemCalls())
}

extension FileIdentities {
    init(by calls: any SystemCalls) {
        self.init(
            identity: { path in try? calls.status(at: path.text).identity },
            names: { folder in (try? calls.namesInFolder(folder.text)) ?? [] })
    }
}

extension UserHome {
    /// Tells files apart without following links.
    var identities: FileIdentities { FileIdentities(by: calls) }
}
