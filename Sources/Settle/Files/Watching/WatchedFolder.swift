/// One watched folder, and how the operating system reports on it.
struct WatchedFolder: Sendable {
    enum Attachment: Sendable, Equatable {
        /// Watched directly.
        case itself(Int)
        /// It does not exist. The nearest existing ancestor is watched until a name appears there.
        case above(Int, awaited: String)
        /// Checked from time to time.
        case polled
        /// Outside of the process's sandbox, with nothing to watch but links: neither watched nor polled.
        case denied

        var number: Int? {
            switch self {
            case .itself(let number), .above(let number, _): number
            case .polled, .denied: nil
            }
        }
    }

    var attachment = Attachment.polled
    /// The names requested, by user.
    var names: [Int: Set<String>] = [:]
    /// The last known statuses, where they are needed to determine what has changed.
    var statuses = FolderStatuses()

    var allNames: Set<String> {
        names.values.reduce(into: []) { $0.formUnion($1) }
    }
}

/// The statuses of some names in a folder.
struct FolderStatuses: Sendable, Equatable {
    private var folder: FileStatus.Identity?
    private var files: [String: FileStatus] = [:]

    init() {}

    init(of names: Set<String>, in folder: FilePath, _ calls: any SystemCalls) {
        self.folder = (try? calls.status(at: folder.text))?.identity
        for name in names { files[name] = try? calls.status(at: folder.appending(name).text) }
    }

    /// Returns whether the folder was replaced, removed or made.
    func isElsewhere(than other: FolderStatuses) -> Bool {
        folder != other.folder
    }

    /// Returns which of these names have another file or state than before.
    func changes(since earlier: FolderStatuses, of names: Set<String>) -> Set<String> {
        names.filter { files[$0] != earlier.files[$0] }
    }
}
