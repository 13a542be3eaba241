/// An administrator's file for one program: `<id>.json` or `<id>.plist` in a folder.
///
/// It is used only if no one but an administrator can have written it: root owns the file and every folder on the way
/// to it, none is a symbolic link, and none is writable by group or others. In a folder that was chosen explicitly,
/// the user may own them too. An untrusted file gives no values and a problem.
///
/// A load throws if the file is trusted and can't be used: if it can't be read or understood, or if there is one file
/// of each name, because it is unclear which one is meant. So a store does not open without the prescribed values, and
/// later the last good values stay. A folder that may not be read is a problem. The journal is not read: an
/// administrator edits the file.
final class ManagedDomainSource: DomainSource {
    private let id: String
    private let folder: FilePath
    private let trusted: TrustedFiles
    private let operations: FileOperations
    private let watching: any FileWatching
    private let lines: KeyLineCache
    /// The file that was loaded last.
    private let found = LockedValue<FilePath?>(nil)
    private let state = LockedValue<(any FileWatch)?>(nil)

    /// - Parameters:
    ///   - id: The program, such as `com.example.app`.
    ///   - folder: An absolute path.
    ///   - isExplicit: Whether the folder was chosen explicitly, so that the user may own it.
    convenience init(_ id: String, in folder: FilePath, isExplicit: Bool) {
        self.init(
            id, in: folder, trustedUser: isExplicit ? currentUserID() : nil, calls: POSIXSystemCalls(),
            watching: SystemFileWatching.shared)
    }

    init(
        _ id: String, in folder: FilePath, trustedUser: UInt32?, calls: any SystemCalls, watching: any FileWatching
    ) {
        self.id = id
        self.folder = folder.withoutTrailingSlashes
        self.watching = watching
        operations = FileOperations(ReadOnlySystemCalls(calls))
        trusted = TrustedFiles(operations, orOf: trustedUser)
        lines = KeyLineCache(operations)
    }

    var isRequired: Bool { true }

    private var files: [FilePath] { [".json", ".plist"].map { folder.appending(id + $0) } }

    // MARK: Loading

    func load() throws(StorageError) -> DomainContents {
        guard !id.isEmpty, !id.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else {
            throw .unreadable(folder, "“\(id)” can't be the name of a file in it")
        }
        let found: [(FilePath, [UInt8])]
        do throws(TrustedFiles.Obstacle) {
            found = try readings()
        } catch {
            switch error {
            case .missing: return DomainContents()
            case .untrusted(let reason): return untrusted(reason)
            case .failed(let error):
                // If the folder may not be read, no values are known to be prescribed.
                guard error.isDenied, !files.contains(FilePath(error.path)) else {
                    throw .unreadable(FilePath(error.path), error)
                }
                return DomainContents(problems: ["Managed settings can't be looked for: \(error)."])
            }
        }
        return try contents(of: found)
    }

    private func readings() throws(TrustedFiles.Obstacle) -> [(file: FilePath, bytes: [UInt8])] {
        try trusted.withFolder(folder) { (descriptor) throws(TrustedFiles.Obstacle) in
            var readings: [(FilePath, [UInt8])] = []
            for file in files {
                do throws(TrustedFiles.Obstacle) {
                    let limit = FileStorage.sizeLimit
                    readings.append((file, try trusted.contents(of: file, in: descriptor, limit: limit)))
                } catch {
                    guard case .missing = error else { throw error }
                }
            }
            return readings
        }
    }

    private func contents(of readings: [(file: FilePath, bytes: [UInt8])]) throws(StorageError) -> DomainContents {
        guard readings.count < 2 else {
            throw .unreadable(readings[0].file, "\(readings[1].file.quoted) is there too. Remove one of them")
        }
        found.withLock { $0 = readings.first?.file }
        guard let (file, bytes) = readings.first else { return DomainContents() }
        do throws(FormatError) {
            return DomainContents(try (FileFormat.detect(bytes) ?? .json).decode(bytes))
        } catch {
            throw StorageError(.unreadable, "\(file.quoted) can't be used as it is. \(error)")
        }
    }

    /// Returns no values for a folder that is not trusted, which is not reported while it has no file for this program.
    private func untrusted(_ reason: String) -> DomainContents {
        found.withLock { $0 = nil }
        let there = files.filter { (try? operations.status(at: $0)) != nil }
        guard let file = there.first else { return DomainContents() }
        return DomainContents(problems: ["The managed settings in \(file.quoted) are not used, because \(reason)."])
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        let watch = watching.watch([folder: Set(files.map(\.name))]) { _ in changed() }
        state.withLock { $0 = watch }
        // For changes since the first load.
        changed()
    }

    func close() async {
        state.withLock { watch in
            watch?.cancel()
            watch = nil
        }
    }

    func place(of key: SettingKey) -> String {
        guard let file = found.withLock({ $0 }) else { return folder.quoted }
        return lines.look(at: file)?.place(of: key) ?? file.quoted
    }
}

extension FileError {
    fileprivate var isDenied: Bool { cause == .permissionDenied || cause == .notPermitted }
}
