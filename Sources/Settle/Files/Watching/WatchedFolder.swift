/// One folder that somebody watches, and how the operating system can tell about it.
struct WatchedFolder: Sendable {
    enum Attachment: Sendable, Hashable {
        /// Watched by itself.
        case itself(Int)
        /// It does not exist. The nearest folder above it that does is watched until a name appears there.
        case above(Int, awaited: String)
        /// Looked at from time to time.
        case polled

        var number: Int? {
            switch self {
            case .itself(let number), .above(let number, _): number
            case .polled: nil
            }
        }
    }

    var attachment = Attachment.polled
    /// The names that each user of the watch has asked for.
    var names: [Int: Set<String>] = [:]
    /// What was there when it was last looked at, where that is needed to know what has changed.
    var statuses = FolderStatuses()

    var allNames: Set<String> {
        names.values.reduce(into: []) { $0.formUnion($1) }
    }
}

/// What stands under some names in a folder.
struct FolderStatuses: Sendable, Hashable {
    private var folder: FileStatus.Identity?
    private var files: [String: FileStatus] = [:]

    init() {}

    init(of names: Set<String>, in folder: FilePath, _ calls: any SystemCalls) {
        self.folder = (try? calls.status(at: folder.text))?.identity
        for name in names { files[name] = try? calls.status(at: folder.appending(name).text) }
    }

    /// Whether the folder is another one, or is there and was not, or the reverse.
    func isElsewhere(than other: FolderStatuses) -> Bool {
        folder != other.folder
    }

    /// Which of these names stand for something else than they did.
    func changes(since earlier: FolderStatuses, of names: Set<String>) -> Set<String> {
        names.filter { files[$0] != earlier.files[$0] }
    }
}
