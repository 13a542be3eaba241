/// One reading of a folder with a file for each key.
struct SecretsReader: Sendable {
    /// The result of a reading.
    struct Look: Sendable, Equatable {
        var contents = DomainContents(isText: true)
        /// The file of each key.
        var files: [SettingKey: FilePath] = [:]
        /// The folders that were read.
        var folders: Set<FilePath> = []
    }

    /// The target of `..data`. Switching it switches all links of a mounted volume to another generation.
    private struct Generation: Equatable {
        var target: String?
        var identity: FileStatus.Identity?
    }

    let operations: FileOperations
    let folder: FilePath
    /// The largest value, in bytes.
    let limit: Int

    private var generation = Generation()
    private var look = Look()
    private var texts: [SettingKey: String] = [:]
    /// Every folder is read once, so that links can't lead in circles.
    private var visited: Set<FileStatus.Identity> = []

    static let dataName = "..data"
    /// How often a reading starts again because the generation was switched meanwhile.
    private static let attempts = 100

    init(_ operations: FileOperations, folder: FilePath, limit: Int) {
        self.operations = operations
        self.folder = folder
        self.limit = limit
    }

    /// - Throws: ``StorageError`` if the folder exists and can't be read.
    func read() throws(StorageError) -> Look {
        for _ in 0..<Self.attempts {
            var reader = self
            reader.generation = currentGeneration
            do throws(FileError) {
                try reader.readFolder(folder, below: [])
            } catch {
                // A folder may have been removed with its generation.
                guard reader.generation == currentGeneration else { continue }
                throw .unreadable(FilePath(error.path), error)
            }
            // Files of two generations do not belong together, and those of an earlier one may be gone.
            guard reader.generation == currentGeneration else { continue }
            reader.finish()
            return reader.look
        }
        throw .unreadable(folder, "its files keep being replaced")
    }

    private var currentGeneration: Generation {
        let data = folder.appending(Self.dataName)
        return Generation(
            target: try? operations.linkTarget(data),
            identity: (try? operations.statusFollowingLinks(at: data))?.identity)
    }

    // MARK: Folders

    private mutating func readFolder(_ path: FilePath, below names: [String]) throws(FileError) {
        guard let status = try statusIfThere(path) else { return }
        guard names.count < SettingValue.depthLimit, visited.insert(status.identity).inserted else {
            return add("\(shown(names)) is not read: it is too deep, or leads to a folder that was already read.")
        }
        look.folders.insert(path)
        let visible = try operations.names(in: path).filter { $0.utf8.first != UInt8(ascii: ".") }
        for name in visible.sorted(by: { $0.precedesByBytes($1) }) {
            readEntry(pinned(path.appending(name)), names + [name])
        }
    }

    /// Returns the target of a link through `..data` in this reading's generation, whatever happens to `..data`
    /// meanwhile.
    private func pinned(_ path: FilePath) -> FilePath {
        guard let generation = generation.target, path.folder == folder,
            let target = try? operations.linkTarget(path), target.hasPrefix(Self.dataName + "/")
        else { return path }
        let place = generation.hasPrefix("/") ? FilePath(generation) : folder.appending(generation)
        return place.appending(String(target.dropFirst(Self.dataName.count + 1)))
    }

    /// - Returns: `nil` if nothing is there, unless the folder is a link that leads nowhere.
    private func statusIfThere(_ path: FilePath) throws(FileError) -> FileStatus? {
        do {
            return try operations.statusFollowingLinks(at: path)
        } catch {
            guard error.cause == .notFound, (try? operations.status(at: path)) == nil else { throw error }
            return nil
        }
    }

    private mutating func readEntry(_ path: FilePath, _ names: [String]) {
        do throws(FileError) {
            guard let bytes = try contentsUnlessFolder(path) else { return try readFolder(path, below: names) }
            add(bytes, names)
        } catch {
            // Removed since the folder was listed. A link that leads nowhere exists, and so does a name that is not a
            // text.
            let isGone = error.cause == .notFound && (try? operations.status(at: visible(names))) == nil
            guard !isGone || path.name.contains("\u{FFFD}") else { return }
            let reason = error.cause == .fileTooLarge ? "it has more than \(limit) bytes" : "\(error)"
            add("\(shown(names)) is not used: \(reason).")
        }
    }

    private func contentsUnlessFolder(_ path: FilePath) throws(FileError) -> [UInt8]? {
        let file = try operations.open(path, .read)
        // Nothing was written through this descriptor, so closing it has nothing to report.
        defer { try? operations.close(file, at: path) }
        guard try operations.status(of: file, at: path).kind != .folder else { return nil }
        return try operations.contents(of: file, at: path, limit: limit)
    }

    /// Returns the path that people know.
    private func visible(_ names: [String]) -> FilePath { folder.appending(names.joined(separator: "/")) }

    private func shown(_ names: [String]) -> String { visible(names).quoted }

    // MARK: Values

    private mutating func add(_ bytes: [UInt8], _ names: [String]) {
        guard let key = SettingKey(names.joined(separator: ".")), key.depth <= SettingValue.depthLimit else {
            return add("\(shown(names)) is not used: its name can't be a key.")
        }
        // The contents are secret, and so are parts of them.
        guard let text = String(validating: bytes.withoutFinalLineBreak, as: UTF8.self) else {
            return add("\(shown(names)) is not used: it is not UTF-8 text.")
        }
        if let other = look.files[key] {
            return add("\(shown(names)) is not used: \(other.quoted) is a file for “\(key)” too.")
        }
        look.files[key] = visible(names)
        texts[key] = text
    }

    private mutating func add(_ problem: String) { look.contents.problems.append(problem) }

    /// Puts the texts into a tree. A key that has others within it can't have a text.
    private mutating func finish() {
        let outer = Set(texts.keys.flatMap(\.parents)).filter { texts[$0] != nil }
        for key in outer.sorted() {
            texts[key] = nil
            let file = look.files.removeValue(forKey: key) ?? folder
            add("\(file.quoted) is not used: there are files for keys within “\(key)”.")
        }
        let values = texts.sorted(by: \.key).map { (key: $0, value: SettingValue?.some(.string($1))) }
        look.contents.tree.apply(inOrder: values)
    }
}
