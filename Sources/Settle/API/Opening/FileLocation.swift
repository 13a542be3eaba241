/// A name in a folder, comparable with others.
///
/// Two paths lead to one file if they lead to one entry of one folder: by another route to the folder, such as a bind
/// mount, or by another spelling of the name where the file system treats both as one. Hard links are two files: a save
/// replaces the entry by its own name, and leaves the other name with its old contents.
struct FileLocation: Sendable {
    let path: FilePath
    /// `nil` if the folder was missing.
    private let folder: FileStatus.Identity?
    /// Equal for all spellings that a file system might treat as one. Strings that Unicode calls equal are equal
    /// already.
    private let foldedName: String

    /// Creates a location. Queries the file's folder, so it may block if that is another machine's.
    init(_ path: FilePath, _ identities: FileIdentities) {
        self.init(path, folder: identities.identity(path.folder))
    }

    /// - Parameter folder: The identity of the file's folder; `nil` if that is missing.
    init(_ path: FilePath, folder: FileStatus.Identity?) {
        self.path = path
        self.folder = folder
        foldedName = path.name.lowercased()
    }

    /// Queries the file system again, but only for locations that look the same.
    func isSameFile(as other: FileLocation, _ identities: FileIdentities) -> Bool {
        guard foldedName == other.foldedName, let folder, folder == other.folder ?? folder else { return false }
        // The folders may have been moved since.
        guard identities.identity(other.path.folder) == folder else { return false }
        return path.name.utf8.elementsEqual(other.path.name.utf8) || isSameEntry(as: other, identities)
    }

    /// Returns whether a comparison with a path may block: it queries a folder that was missing, which may be another
    /// machine's by now, or reads all names of a folder.
    ///
    /// - Parameter path: A path in a folder that the system has in its memory.
    func mayBlock(comparedTo path: FilePath) -> Bool {
        guard foldedName == path.name.lowercased() else { return false }
        return folder == nil || !self.path.name.utf8.elementsEqual(path.name.utf8)
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

    /// Returns whether a folder lists both names, which then are hard links.
    private func areTwoEntries(_ name: String, _ other: String, _ names: [String]) -> Bool {
        [name, other].allSatisfy { name in names.contains { $0.utf8.elementsEqual(name.utf8) } }
    }

    private static let attempts = 16
}

/// Determines whether two paths are one file.
struct FileIdentities: Sendable {
    /// The identity of the entry at a path itself, if any.
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
    /// Distinguishes files without following links.
    var identities: FileIdentities { FileIdentities(by: calls) }
}
