/// A folder with one file for each key, such as `/run/secrets`, or a volume that Kubernetes mounts.
///
/// The name of a file is the key: `passcode.pin`, or `pin` in the folder `passcode`. The value is the text in the file
/// without one line break at its end. Links are followed. Names that begin with a dot are skipped: hidden files, and
/// those that a mounted volume has beside its links (`..data`, `..2024_12_24`). A file that can't be read, is not a
/// text or has more than 1 MiB results in a problem instead of a value; the problem never shows the contents. If
/// several files claim one key, the first by name is used; a file whose key has others within it is not.
///
/// A mounted volume is updated by switching its link `..data`; a load returns the files of one such generation. In
/// addition to the events for the folders, periodic checks find changes without events, such as those of a single
/// mounted file (`subPath`) and of links to files elsewhere.
final class SecretsFolderSource: DomainSource {
    private struct State: Sendable {
        /// The values that the store was given last.
        var look: SecretsReader.Look?
        var places: [FilePath: Set<String>] = [:]
        var watch: (any FileWatch)?
        var looking: Task<Void, Never>?
        var isClosed = false
    }

    /// The largest value, in bytes.
    static let sizeLimit = 1 << 20

    private let folder: FilePath
    private let reader: SecretsReader
    private let operations: FileOperations
    private let watching: any FileWatching
    private let time: TimeSource
    private let interval: Duration
    private let state = LockedValue(State())

    /// - Parameters:
    ///   - folder: An absolute path. The folder may be missing, and may come and go.
    ///   - interval: How often to check without an event.
    ///   - clock: Measures the interval.
    convenience init(
        _ folder: FilePath, interval: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            folder, interval: interval, clock: clock, calls: POSIXSystemCalls(), watching: SystemFileWatching.shared)
    }

    init(
        _ folder: FilePath, interval: Duration = .seconds(30), clock: any Clock<Duration>, calls: any SystemCalls,
        watching: any FileWatching
    ) {
        self.folder = folder.withoutTrailingSlashes
        self.interval = interval
        self.watching = watching
        time = TimeSource(clock)
        operations = FileOperations(ReadOnlySystemCalls(calls))
        reader = SecretsReader(operations, folder: self.folder, limit: Self.sizeLimit)
    }

    deinit {
        state.withLock { $0.looking?.cancel() }
    }

    func load() throws(StorageError) -> DomainContents {
        while true {
            let look: SecretsReader.Look
            do throws(StorageError) {
                look = try reader.read()
            } catch {
                // The next reading counts as changed, even if it finds the same files.
                state.withLock { $0.look = nil }
                throw error
            }
            // Another reading finds changes in a folder from before it was watched.
            if !follow(look) { return look.contents }
        }
    }

    // MARK: Watching

    func watch(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.places = places(of: state.look)
            state.watch = watching.watch(state.places) { _ in changed() }
            state.looking = Task.detached { [weak self, time, interval] in
                while (try? await time.sleep(time.elapsed() + interval)) != nil, let source = self {
                    if await source.hasNews() { changed() }
                }
            }
        }
        // For changes since the first load.
        changed()
    }

    /// Returns whether a load would return other values than the last one.
    private func hasNews() async -> Bool {
        await runBlocking { [self] in (try? reader.read()) != state.withLock { $0.look } }
    }

    /// - Returns: Whether other paths are watched from now on than during the reading.
    private func follow(_ look: SecretsReader.Look) -> Bool {
        let places = places(of: look)
        return state.withLock { state in
            state.look = look
            guard let watch = state.watch, places != state.places else { return false }
            state.places = places
            watch.update(places)
            return true
        }
    }

    /// Returns every name in the folders that were read, and the links on the way to them.
    private func places(of look: SecretsReader.Look?) -> [FilePath: Set<String>] {
        var places: [FilePath: Set<String>] = [:]
        let data = folder.appending(SecretsReader.dataName)
        let generation: Set<FilePath> = (try? operations.linkTarget(data)) == nil ? [] : [data]
        for path in (look?.folders ?? []).union(generation).union([folder]) {
            guard let (resolved, links) = try? operations.resolve(path) else { continue }
            // A link of another path may be in the same folder, and comes first or last: a set has another order each
            // time.
            places[resolved, default: []].insert(".")
            for link in links { places[link.folder, default: []].insert(link.name) }
        }
        return places
    }

    func close() async {
        let looking = state.withLock { state in
            state.isClosed = true
            state.watch?.cancel()
            state.watch = nil
            return state.looking
        }
        looking?.cancel()
    }

    func place(of key: SettingKey) -> String {
        (state.withLock { $0.look?.files[key] } ?? folder.appending(key.description)).quoted
    }
}
