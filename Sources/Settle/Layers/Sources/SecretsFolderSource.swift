/// A folder with one file for each key, such as `/run/secrets`, or what Kubernetes mounts.
///
/// The name of a file is the key: `passcode.pin`, or `pin` in the folder `passcode`. The value is the text in the file
/// without one line break at its end. Links are followed. Names that begin with a dot are skipped: hidden files, and
/// what a mounted volume keeps beside its links (`..data`, `..2024_12_24`). A file that can't be read, is no text or
/// has more than 1 MiB gives no value and a problem, which never shows what is in it. Where files claim one key, the
/// first by name is used; a file whose key has others within it is not.
///
/// A mounted volume is updated by switching its link `..data`; a load gives the files of one such generation. Besides
/// the events for the folders, a look now and then finds what has none, such as a single mounted file (`subPath`) and
/// links to files elsewhere.
final class SecretsFolderSource: DomainSource {
    private struct State: Sendable {
        /// What the store was given last.
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
    ///   - interval: How often to look without an event.
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
                // The next look is news, even if it finds what was there before.
                state.withLock { $0.look = nil }
                throw error
            }
            // What happened in a folder before it was watched is found by another look.
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
        // What has happened since the first load.
        changed()
    }

    /// Whether a load would give something else than the one before.
    private func hasNews() async -> Bool {
        await runBlocking { [self] in (try? reader.read()) != state.withLock { $0.look } }
    }

    /// - Returns: Whether other places are watched from now on than were while the look was taken.
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

    /// Every name in the folders that were read, and the links on the way to them.
    private func places(of look: SecretsReader.Look?) -> [FilePath: Set<String>] {
        var places: [FilePath: Set<String>] = [:]
        let data = folder.appending(SecretsReader.dataName)
        let generation: Set<FilePath> = (try? operations.linkTarget(data)) == nil ? [] : [data]
        for path in (look?.folders ?? []).union(generation).union([folder]) {
            guard let (resolved, links) = try? operations.resolve(path) else { continue }
            // A link of another path may stand in it, and comes first or last: a set has another order each time.
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
