import Dispatch
import Settle
import SettleTestSupport
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Watching where the operating system reports no events.
@Suite(.timeLimit(.minutes(10))) struct PolledFileWatchingTests {
    /// A source that has run out of watches, until it recovers.
    private final class Exhausted: FolderEventSource {
        private let isExhausted = LockedValue(true)
        let tellsNames = true

        func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {}

        func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int {
            if isExhausted.withLock({ $0 }) { throw .noSpace }
            return 1
        }

        func remove(_ number: Int) {}

        func recover() {
            isExhausted.withLock { $0 = false }
        }
    }

    /// A source for which every folder named `remote` is another machine's, which may not answer.
    private final class Mounts: FolderEventSource {
        let gate = Gate()
        let tellsNames = true
        private let deliver = LockedValue<@Sendable (FolderEvent) -> Void>({ _ in })

        func start(on queue: DispatchQueue, _ deliver: @escaping @Sendable ([FolderEvent]) -> Void) {
            self.deliver.withLock { $0 = { event in queue.async { deliver([event]) } } }
        }

        func isRemote(_ folder: FilePath) -> Bool {
            guard folder.name == "remote" else { return false }
            gate.pass()
            return true
        }

        func add(_ folder: FilePath, files: Set<String>) throws(SystemError) -> Int { 1 }

        func remove(_ number: Int) {}

        func tell(_ event: FolderEvent) {
            let deliver = deliver.withLock { $0 }
            deliver(event)
        }
    }

    private func polled(_ source: (any FolderEventSource)? = nil) throws -> WatchedFiles {
        try WatchedFiles(SystemFileWatching(source: source, pollInterval: nil))
    }

    @Test("Polling finds a file that was written, replaced, removed or created") func looks() async throws {
        let files = try polled()
        try files.write("one")
        let watch = files.watch()
        try files.write("longer")
        files.watching.poll()
        #expect(await files.told.next([.contents, .replaced]).files == [files.path.appending("a")])
        try files.write("another", to: "b")
        try POSIXSystemCalls().renameFile(files.path.appending("b").text, to: files.path.appending("a").text)
        files.watching.poll()
        _ = await files.told.next(.replaced)
        try files.remove("a")
        files.watching.poll()
        _ = await files.told.next(.replaced)
        try files.write("again")
        files.watching.poll()
        #expect(!(await files.told.next(.replaced)).contains(.places))
        watch.cancel()
    }

    @Test("Polling reports nothing if nothing has changed") func nothingNew() async throws {
        let files = try polled()
        try files.write("one")
        let watch = files.watch(["a", "b"])
        files.watching.poll()
        try files.write("two", to: "b")
        files.watching.poll()
        #expect(await files.told.next(.replaced).files == [files.path.appending("b")])
        watch.cancel()
    }

    @Test("Polling finds a folder that was created, and a file in it") func folder() async throws {
        let files = try polled()
        let watch = files.watch(in: "one")
        try files.makeFolder("one")
        files.watching.poll()
        _ = await files.told.next(.places)
        try files.write("in it", to: "one/a")
        files.watching.poll()
        _ = await files.told.next(.replaced)
        watch.cancel()
    }

    @Test("Files are polled while the system has run out of watches") func exhausted() async throws {
        let source = Exhausted()
        let files = try polled(source)
        let watch = files.watch()
        try files.write("one")
        files.watching.poll()
        _ = await files.told.next(.replaced)
        try files.write("the last that a look must find")
        source.recover()
        files.watching.poll()
        _ = await files.told.next(.replaced)
        watch.cancel()
    }

    @Test("A machine that does not answer delays neither other watches nor their events")
    func silentMount() async throws {
        let (source, calls, status) = (Mounts(), FaultySystemCalls(), Gate())
        let files = try WatchedFiles(SystemFileWatching(source: source, pollInterval: nil, calls: calls))
        try files.makeFolder("remote")
        calls.beforeNext(.status) { status.pass() }
        async let watch = onThread { files.watch(in: "remote") }
        await source.gate.waitUntilReached()
        let first = files.watch()
        source.gate.open()
        await status.waitUntilReached()
        let second = files.watch(["b"])
        status.open()
        let remote = await watch
        try files.write("one", to: "remote/a")
        files.watching.poll()
        await source.gate.waitUntilReached()
        let third = files.watch(["c"])
        source.tell(FolderEvent(folder: 1, .replaced(name: "b")))
        #expect(await files.told.next(.replaced).files == [files.path.appending("b")])
        source.gate.open()
        #expect(await files.told.next(.replaced).files == [files.path.appending("remote").appending("a")])
        for watch in [remote, first, second, third] { watch.cancel() }
    }

    @Test("A storage whose machine does not answer delays no events of other watches")
    func silentStorage() async throws {
        let source = Mounts()
        let files = try WatchedFiles(SystemFileWatching(source: source, pollInterval: nil))
        try files.makeFolder("remote")
        let storage = FileStorage(
            at: files.folder.url.appending(path: "remote/settings.json"), calls: POSIXSystemCalls(),
            watching: files.watching)
        let position = try storage.load().position
        let isSignalled = Flag()
        async let watched: Void = onThread { storage.watch { _ in isSignalled.raise() } }
        await source.gate.waitUntilReached()
        source.gate.open()
        await watched
        let watch = files.watch(["b"])
        source.tell(FolderEvent(folder: 1, .overflow))
        try await eventually("the storage signals") { isSignalled.isRaised }
        async let changes = onThread { try? storage.changes(after: position) }
        await source.gate.waitUntilReached()
        source.tell(FolderEvent(folder: 1, .replaced(name: "b")))
        #expect(await files.told.next(.replaced).files.contains(files.path.appending("b")))
        source.gate.open()
        let found = await changes
        #expect(found != nil)
        storage.close()
        watch.cancel()
    }

    @Test("A second watch of a file takes no events away from the first one") func secondWatch() async throws {
        let files = try polled()
        try files.write("one")
        let watch = files.watch()
        try files.write("longer")
        let second = files.watching.watch([files.path: ["a"]]) { _ in }
        _ = await files.told.next(.contents)
        second.cancel()
        watch.cancel()
    }

    @Test("Polling runs on a timer") func timer() async throws {
        let files = try WatchedFiles(SystemFileWatching(source: nil, pollInterval: .milliseconds(1)))
        let watch = files.watch()
        try files.write("one")
        _ = await files.told.next(.replaced)
        watch.cancel()
    }
}

#if os(Linux)
    @Suite struct RemoteFileSystemTests {
        @Test("The mount table tells which file systems are remote") func mounts() {
            let mounts = """
                36 35 0:98 /sub /mnt/one rw,noatime shared:1 master:2 - nfs4 server:/path rw
                37 35 0:99 / /mnt/two rw - fuse.sshfs me@there: rw
                38 35 8:1 / / rw - ext4 /dev/sda1 rw
                39 35 0:40 / /tmp rw - tmpfs tmpfs rw
                """
            let isRemote = { RemoteFileSystem.isRemote(FileStatus.Identity(device: $0, file: 0), in: mounts) }
            #expect(isRemote(98))
            #expect(isRemote(99))
            #expect(!isRemote(0x801))
            #expect(!isRemote(40))
            #expect(!isRemote(77))
        }
    }
#endif
