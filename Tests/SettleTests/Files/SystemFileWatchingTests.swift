import Foundation
import Settle
import SettleTestSupport
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SystemFileWatchingTests {
    private let calls = POSIXSystemCalls()

    @Test("A write reports changed contents, and its close a replaced file", arguments: WatchedSystem.allCases)
    func write(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        try files.write("one")
        let watch = files.watch()
        try files.write("two")
        let events = await files.told.next([.contents, .replaced])
        #expect(events.files == [files.path.appending("a")])
        #expect(!events.contains(.places))
        watch.cancel()
    }

    @Test(
        "A write to a file that stays open reports only changed contents",
        arguments: WatchedSystem.allCases)
    func append(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let file = try calls.openFile(files.path.appending("a").text, .updateOrCreate(permissions: 0o600))
        let watch = files.watch()
        _ = try [1, 2, 3].withUnsafeBytes { buffer throws(SystemError) in
            try calls.writeBytes(file, at: 8, from: buffer)
        }
        #expect(await files.told.next(.contents).kinds == system.kinds(.contents))
        try calls.closeFile(file)
        watch.cancel()
    }

    @Test(
        "Replacing, removing and recreating a file is reported each time", arguments: WatchedSystem.allCases)
    func names(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let watch = files.watch()
        try files.write("new", to: "b")
        try calls.renameFile(files.path.appending("b").text, to: files.path.appending("a").text)
        #expect(await files.told.next(.replaced).kinds == system.kinds(.replaced))
        try calls.removeFile(files.path.appending("a").text)
        #expect(await files.told.next(.replaced).kinds == system.kinds(.replaced))
        try files.write("again")
        _ = await files.told.next(.replaced)
        try calls.renameFile(files.path.appending("a").text, to: files.path.appending("b").text)
        _ = await files.told.next(.replaced)
        watch.cancel()
    }

    @Test("Other names in the folder are not reported", arguments: WatchedSystem.allCases)
    func otherNames(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let watch = files.watch()
        try files.write("other", to: "b")
        try files.write("mine")
        #expect(await files.told.next(.replaced).files == [files.path.appending("a")])
        watch.cancel()
    }

    @Test("Switching a symbolic link is reported", arguments: WatchedSystem.allCases)
    func link(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let path = files.path
        try FileManager.default.createSymbolicLink(atPath: path.appending("a").text, withDestinationPath: "one")
        let watch = files.watch()
        try FileManager.default.createSymbolicLink(atPath: path.appending("new").text, withDestinationPath: "two")
        try calls.renameFile(path.appending("new").text, to: path.appending("a").text)
        #expect(await files.told.next(.replaced).kinds == system.kinds(.replaced))
        watch.cancel()
    }

    @Test("A folder created later is reported, and then changes in it", arguments: WatchedSystem.allCases)
    func folderMadeLater(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let watch = files.watch(in: "one/two")
        try files.makeFolder("one")
        try files.makeFolder("one/two")
        #expect(await files.told.next(.places).files == [files.path.appending("one/two").appending("a")])
        try files.write("in it", to: "one/two/a")
        _ = await files.told.next(.replaced)
        watch.cancel()
    }

    @Test("Removing and recreating a folder is reported both times", arguments: WatchedSystem.allCases)
    func folderMadeAgain(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        try files.makeFolder("one")
        let watch = files.watch(in: "one")
        try files.remove("one")
        _ = await files.told.next(.places)
        try files.makeFolder("one")
        _ = await files.told.next(.places)
        try files.write("in it", to: "one/a")
        _ = await files.told.next(.replaced)
        watch.cancel()
    }

    @Test(
        "Moving a folder away is reported, and later changes in it are not",
        arguments: WatchedSystem.allCases)
    func folderMoved(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        try files.makeFolder("one")
        let watch = files.watch(in: "one")
        try calls.renameFile(files.path.appending("one").text, to: files.path.appending("two").text)
        _ = await files.told.next(.places)
        try files.write("elsewhere", to: "two/a")
        try files.makeFolder("one")
        #expect(await files.told.next(.places).kinds == .places)
        watch.cancel()
    }

    @Test(
        "Two watches of one folder each report only their own files, by either path",
        arguments: WatchedSystem.allCases)
    func twoWatches(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        try files.makeFolder("one")
        try FileManager.default.createSymbolicLink(
            atPath: files.path.appending("link").text, withDestinationPath: "one")
        let watch = files.watch(["a"], in: "one")
        let told = WatchedEvents()
        let second = files.watching.watch([files.path.appending("link"): ["b"]]) { told.add($0) }
        try files.put("one/b")
        #expect(await told.next(.replaced).files == [files.path.appending("link").appending("b")])
        second.cancel()
        try files.put("one/a")
        #expect(await files.told.next(.replaced).files == [files.path.appending("one").appending("a")])
        #expect(told.rest.kinds == [])
        watch.cancel()
    }

    @Test("An update replaces the places, even where a link was switched", arguments: WatchedSystem.allCases)
    func update(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let link = files.path.appending("link")
        for name in ["one", "two"] { try files.makeFolder(name) }
        try FileManager.default.createSymbolicLink(atPath: link.text, withDestinationPath: "one")
        let watch = files.watch(in: "link")
        try calls.removeFile(link.text)
        try FileManager.default.createSymbolicLink(atPath: link.text, withDestinationPath: "two")
        watch.update([link: ["a"]])
        try files.put("one/a")
        try files.put("two/a")
        #expect(await files.told.next(.replaced).files == [link.appending("a")])
        watch.update([files.path: ["b"]])
        try files.put("two/a")
        try files.put("b")
        #expect(await files.told.next(.replaced).files == [files.path.appending("b")])
        watch.cancel()
    }

    @Test("A cancelled watch and a released one report nothing", arguments: WatchedSystem.allCases)
    func cancel(system: WatchedSystem) async throws {
        let files = try WatchedFiles(system)
        let watch = files.watch()
        let forgotten = WatchedEvents()
        _ = files.watching.watch([files.path: ["a"]]) { forgotten.add($0) }
        watch.cancel()
        let witness = WatchedEvents()
        let other = files.watching.watch([files.path: ["a"]]) { witness.add($0) }
        try files.write("unseen")
        _ = await witness.next(.replaced)
        #expect(files.told.rest.kinds == [])
        #expect(forgotten.rest.kinds == [])
        other.cancel()
    }

    #if os(Linux)
        /// In a process of its own, because other tests open inotify descriptors too.
        @Test("Many watches share one descriptor") func oneDescriptor() async {
            await #expect(processExitsWith: .success) {
                let files = try WatchedFiles()
                let watches = try (0..<50).map { number in
                    try files.makeFolder("\(number)")
                    return files.watch(in: "\(number)")
                }
                let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                    return target?.contains("inotify") == true
                }
                #expect(open == 1)
                for watch in watches { watch.cancel() }
            }
        }
    #endif

    #if os(Linux)
        @Test("Watching that is released gives back what it has of the system, of which there is little")
        func released() async throws {
            for _ in 0..<150 {
                let files = try WatchedFiles(SystemFileWatching(source: Inotify(), pollInterval: nil))
                let watch = files.watch()
                try files.write("one")
                _ = await files.told.next([.contents, .replaced])
                watch.cancel()
                // They are closed on another thread, and a user may have 128.
                try await eventually("the descriptors are closed") { try openInstances() <= 40 }
            }
        }

        /// Those of inotify that this process has.
        private func openInstances() throws -> Int {
            let descriptors = "/proc/self/fd"
            return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { number in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)")
                return target?.contains("inotify") == true
            }
        }
    #endif
}
