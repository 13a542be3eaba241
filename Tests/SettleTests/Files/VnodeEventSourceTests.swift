import Dispatch
import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct VnodeEventSourceTests {
    /// Reports only the events that a test triggers.
    private final class ManualVnodes: VnodeSystem {
        private final class ManualVnode: Vnode {
            let identity: FileStatus.Identity

            init(_ identity: FileStatus.Identity) {
                self.identity = identity
            }

            func cancel() {}
        }

        private let tells = LockedValue<[(path: FilePath, tell: @Sendable (Bool) -> Void)]>([])

        func open(
            _ path: FilePath, _ kind: VnodeKind, on queue: DispatchQueue?, _ tell: @escaping @Sendable (Bool) -> Void
        ) throws(SystemError) -> any Vnode {
            let vnode = ManualVnode(try POSIXSystemCalls().status(at: path.text).identity)
            tells.withLock { $0.append((path, tell)) }
            return vnode
        }

        func tell(opening number: Int, isGone: Bool) {
            tells.withLock { $0[number].tell }(isGone)
        }

        var paths: [FilePath] { tells.withLock { $0.map(\.path) } }
    }

    @Test("An event is reported for its file's place until another file has taken that place") func stale() throws {
        let files = try WatchedFiles()
        try files.write("one")
        let vnodes = ManualVnodes()
        let source = VnodeEventSource(vnodes)
        let told = LockedValue<[FolderEvent]>([])
        source.start(on: DispatchQueue(label: "test")) { events in told.withLock { $0 += events } }
        let number = try source.add(files.path, files: ["a"])
        #expect(vnodes.paths == [files.path, files.path.appending("a")])
        vnodes.tell(opening: 1, isGone: false)
        try files.put("a")
        vnodes.tell(opening: 0, isGone: false)
        #expect(told.withLock { $0 } == [FolderEvent(folder: number, .unknown), FolderEvent(folder: number, .unknown)])
        #expect(try source.add(files.path, files: ["a"]) == number)
        vnodes.tell(opening: 1, isGone: true)
        #expect(told.withLock { $0.count } == 2)
        vnodes.tell(opening: 2, isGone: true)
        vnodes.tell(opening: 0, isGone: true)
        #expect(told.withLock { $0 }.dropFirst(2).map(\.kind) == [.unknown, .gone])
    }

    @Test("A file that is gone is opened again, even if the one in its place has the same identity")
    func gone() throws {
        let files = try WatchedFiles()
        try files.write("one")
        let vnodes = ManualVnodes()
        let source = VnodeEventSource(vnodes)
        _ = try source.add(files.path, files: ["a"])
        _ = try source.add(files.path, files: ["a"])
        #expect(vnodes.paths.count == 2)
        vnodes.tell(opening: 1, isGone: true)
        _ = try source.add(files.path, files: ["a"])
        #expect(vnodes.paths.count == 3)
    }

    @Test("A file that can't be examined is an error, and a missing one is not") func errors() throws {
        let files = try WatchedFiles()
        try files.write("one")
        let calls = FaultySystemCalls()
        let vnodes = ManualVnodes()
        let source = VnodeEventSource(vnodes, calls: calls)
        _ = try source.add(files.path, files: ["a", "missing"])
        #expect(vnodes.paths.count == 2)
        #expect(throws: SystemError.notFound) { try source.add(files.path.appending("missing"), files: []) }
        #expect(throws: SystemError.notFolder) { try source.add(files.path.appending("a"), files: []) }
        calls.fail(every: .status, with: .permissionDenied)
        #expect(throws: SystemError.permissionDenied) { try source.add(files.path, files: ["a"]) }
    }

    #if os(Linux)
        @Test("Adding a folder again opens only files that are new or were replaced") func reuse() throws {
            let files = try WatchedFiles()
            for name in ["a", "b"] { try files.write("one", to: name) }
            let vnodes = InotifyVnodes()
            let source = VnodeEventSource(vnodes)
            let number = try source.add(files.path, files: ["a", "b", "c"])
            #expect(vnodes.openedCount == 3 && vnodes.openCount == 3)
            try files.write("two")
            #expect(try source.add(files.path, files: ["a", "b", "c"]) == number)
            #expect(vnodes.openedCount == 3)
            try files.put("b")
            _ = try source.add(files.path, files: ["a", "b", "c"])
            #expect(vnodes.openedCount == 4 && vnodes.openCount == 3)
            try files.remove("a")
            // As for a missing folder in this one, which must not close the files of others.
            _ = try source.add(files.path, files: [])
            #expect(vnodes.openedCount == 4 && vnodes.openCount == 2)
            source.remove(number)
            #expect(vnodes.openCount == 0)
        }

        @Test("Without descriptors, files are polled until they can be opened") func exhausted() async throws {
            let vnodes = InotifyVnodes()
            let source = VnodeEventSource(vnodes)
            let files = try WatchedFiles(SystemFileWatching(source: source, pollInterval: nil))
            try files.write("one")
            vnodes.limit(to: 1)
            #expect(throws: SystemError(24)) { try source.add(files.path, files: ["a"]) }
            #expect(vnodes.openCount == 0)
            let watch = files.watch()
            #expect(vnodes.openCount == 0)
            try files.write("longer")
            files.watching.poll()
            _ = await files.told.next(.contents)
            vnodes.limit(to: 2)
            try files.write("the last that a look must find")
            files.watching.poll()
            _ = await files.told.next(.contents)
            #expect(vnodes.openCount == 2)
            try files.write("told by an event")
            _ = await files.told.next(.contents)
            watch.cancel()
        }

        @Test("Links in a folder that the sandbox denies are not polled, but files there are")
        func denied() async throws {
            let vnodes = InotifyVnodes()
            let files = try WatchedFiles(SystemFileWatching(source: VnodeEventSource(vnodes), pollInterval: nil))
            let (outside, inside) = (files.path.appending("outside"), files.path.appending("inside"))
            try files.makeFolder("outside")
            try files.makeFolder("inside")
            func link(to target: String) throws {
                try? files.remove("outside/link")
                try FileManager.default.createSymbolicLink(
                    atPath: outside.appending("link").text, withDestinationPath: target)
            }
            try link(to: "../inside")
            vnodes.deny(outside)
            let watch = files.watching.watch([outside: ["link"], inside: ["a"]]) { [told = files.told] in told.add($0) }
            // The folder and, later, the file in it.
            #expect(vnodes.openCount == 1)
            try link(to: "../elsewhere")
            files.watching.poll()
            try files.write("one", to: "inside/a")
            #expect(await files.told.next(.contents).files == [inside.appending("a")])
            watch.update([outside: ["link", "b"], inside: ["a"]])
            try files.write("one", to: "outside/b")
            files.watching.poll()
            // Another event of the file before may come first. Without this one the time limit ends the test.
            while await !files.told.next(.contents).files.contains(outside.appending("b")), !Task.isCancelled {}
            watch.cancel()
        }

        @Test("A store behind a link in a folder that the sandbox denies still receives changes") func deniedLink()
            async throws
        {
            try await withTemporaryFolder { folder in
                let calls = POSIXSystemCalls()
                let outside = folder.appending(path: "outside")
                for folder in [outside, folder.appending(path: "private")] {
                    try calls.makeFolder(folder.path, permissions: 0o700)
                }
                try FileManager.default.createSymbolicLink(
                    atPath: outside.appending(path: "var").path, withDestinationPath: "../private")
                let vnodes = InotifyVnodes()
                vnodes.deny(FilePath(outside.path))
                func open() async throws -> SettingsStore {
                    let watching = SystemFileWatching(source: VnodeEventSource(vnodes), pollInterval: nil)
                    return try await SettingsStore.open(
                        storage: FileStorage(
                            at: outside.appending(path: "var/settings.json"), calls: calls, watching: watching))
                }
                let (first, second) = (try await open(), try await open())
                let written = try await first.group(CounterSettings.self)
                let read = try await second.group(CounterSettings.self)
                try await written.commit { written.count = 7 }
                for await count in read.$count where count == 7 { break }
                try await first.close()
                try await second.close()
            }
        }

        @Test("A change of one store arrives in another that watches vnodes") func stores() async throws {
            try await withTemporaryFolder { folder in
                let file = folder.appending(path: "settings.json")
                func open() async throws -> SettingsStore {
                    let watching = SystemFileWatching(source: VnodeEventSource(InotifyVnodes()), pollInterval: nil)
                    return try await SettingsStore.open(
                        storage: FileStorage(at: file, calls: POSIXSystemCalls(), watching: watching))
                }
                let (first, second) = (try await open(), try await open())
                let written = try await first.group(CounterSettings.self)
                let read = try await second.group(CounterSettings.self)
                for round in 1...20 {
                    if round.isMultiple(of: 2) { try await written.commit { written.count = round } }
                    if !round.isMultiple(of: 2) { written.count = round }
                    for await count in read.$count where count == round { break }
                    if round.isMultiple(of: 5) { try await first.file.flush() }
                }
                try await first.close()
                try await second.close()
            }
        }
    #endif
}
