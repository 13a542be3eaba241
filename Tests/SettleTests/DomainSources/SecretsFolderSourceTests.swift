import Foundation
import SettleTestSupport
import SettleTesting
import Synchronization
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct SecretsFolderSourceTests {
    private func load(_ volume: MountedVolume) throws -> DomainContents { try source(of: volume).load() }

    /// Looks only when something is reported.
    private func source(of volume: MountedVolume) -> SecretsFolderSource {
        SecretsFolderSource(volume.path, interval: .seconds(1_000_000))
    }

    @Test("Each file is a value, without one line break at its end") func values() throws {
        let volume = try MountedVolume()
        let texts = ["a": "one", "b": "two\n", "c": "three\r\n", "d": "four\n\n", "e": "", "f": "\n", "g": " x \r"]
        for (name, text) in texts { try volume.write(text, to: name) }
        let contents = try load(volume)
        #expect(contents.isText)
        #expect(contents.problems == [])
        let expected: SettingValue.Entries = [
            "a": "one", "b": "two", "c": "three", "d": "four\n", "e": "", "f": "", "g": " x \r",
        ].reduce(into: [:]) { $0[$1.key] = .string($1.value) }
        #expect(contents.tree.root == expected)
    }

    @Test("A dot in a name, and a folder, lead to keys within others") func keys() throws {
        let volume = try MountedVolume()
        try volume.write("1", to: "passcode.pin")
        try volume.write("2", to: "passcode/salt")
        try volume.write("3", to: "file\\.txt")
        let contents = try load(volume)
        #expect(contents.tree["passcode.pin"] == .string("1"))
        #expect(contents.tree["passcode.salt"] == .string("2"))
        #expect(contents.tree[.path("file.txt")] == .string("3"))
        #expect(contents.problems == [])
        let source = source(of: volume)
        _ = try source.load()
        #expect(source.place(of: "passcode.salt") == "“\(volume.path)/passcode/salt”")
        #expect(source.place(of: "passcode.pin") == "“\(volume.path)/passcode.pin”")
    }

    @Test("What can't be used is a problem of its key alone, and no problem shows a value") func problems() throws {
        let volume = try MountedVolume()
        try volume.write("fine", to: "good")
        try volume.write("1", to: "log")
        try volume.write("2", to: "log.file")
        try volume.write("3", to: "twice/key")
        try volume.write("hunter2", to: "twice.key")
        try volume.write("hunter2", to: "two..dots")
        try volume.link("nowhere", to: "missing")
        try volume.link("circle", to: ".")
        try Data("hunter2".utf8 + [0xFF]).write(to: volume.folder.appending(path: "binary"))
        try Data(repeating: 65, count: SecretsFolderSource.sizeLimit + 1).write(
            to: volume.folder.appending(path: "large"))
        try Data(repeating: 65, count: SecretsFolderSource.sizeLimit).write(
            to: volume.folder.appending(path: "largest"))
        try volume.write("hidden", to: ".hidden")
        try volume.write("hidden", to: "..old/key")
        let contents = try load(volume)
        #expect(Set(contents.tree.root.keys) == ["good", "largest", "log", "twice"])
        #expect(contents.tree["log.file"] == .string("2"))
        #expect(contents.tree["twice.key"] == .string("hunter2") || contents.tree["twice.key"] == .string("3"))
        let named = ["“\(volume.path)/log”", "/twice", "two..dots", "nowhere", "circle", "binary", "large”"]
        for name in named { #expect(contents.problems.contains { $0.contains(name) }, "\(name)") }
        #expect(contents.problems.count == named.count, "\(contents.problems)")
        #expect(!contents.problems.contains { $0.contains("hunter2") })
    }

    @Test("A file that may not be read is a problem of its key alone") func unreadable() throws {
        let volume = try MountedVolume()
        try volume.write("1", to: "a")
        let calls = FaultySystemCalls()
        calls.fail(every: .read, with: .permissionDenied)
        let source = SecretsFolderSource(
            volume.path, clock: ManualClock(), calls: calls, watching: ManualFileWatching())
        let contents = try source.load()
        #expect(contents.tree.root.isEmpty)
        #expect(contents.problems.count == 1 && contents.problems[0].contains("/a”"))
        #expect(calls.openFiles == [])
        calls.heal()
        calls.fail(every: .names, with: .permissionDenied)
        let error = #expect(throws: StorageError.self) { try source.load() }
        #expect(error?.description.contains(volume.path.text) == true)
    }

    @Test("A missing folder is an empty domain; a file in its place is an error") func missing() throws {
        let volume = try MountedVolume()
        #expect(
            try SecretsFolderSource(volume.path.appending("missing/folder")).load() == DomainContents(isText: true))
        try volume.write("1", to: "file")
        #expect(throws: StorageError.self) { try SecretsFolderSource(volume.path.appending("file")).load() }
    }

    @Test("A mounted volume is read through its links, and what it keeps beside them is skipped") func mounted() throws
    {
        let volume = try MountedVolume()
        try volume.publish(["user": "me", "tls/key": "secret"], links: true)
        let contents = try load(volume)
        #expect(contents.tree.root == ["user": .string("me"), "tls": .dictionary(["key": .string("secret")])])
        #expect(contents.problems == [])
        let source = source(of: volume)
        _ = try source.load()
        #expect(source.place(of: "tls.key") == "“\(volume.path)/tls/key”")
    }

    @Test("A hundred switches in a row: no load mixes two generations, and the last one is reported")
    func switches() async throws {
        let volume = try MountedVolume()
        let names = (0..<20).map { "key\($0)" } + ["inner/key"]
        @Sendable func values(_ number: Int) -> [String: String] {
            Dictionary(uniqueKeysWithValues: names.map { ($0, "\(number)") })
        }
        try volume.publish(values(0), links: true)
        let source = source(of: volume)
        _ = try source.load()
        let changes = ReportedChanges(of: source)
        let switching = Task.detached { for number in 1...100 { try volume.publish(values(number)) } }
        await changes.load { result in
            guard let contents = try? result.get() else { return false }
            let found = Set(names.map { contents.tree[SettingKey($0.replacing("/", with: "."))!] })
            #expect(found.count == 1 && found.first != .some(nil), "\(found)")
            #expect(contents.problems == [])
            return contents.tree["key0"] == .string("100")
        }
        try await switching.value
        await source.close()
    }

    @Test("A switch in the middle of a load begins the load anew", arguments: [SystemCall.Kind.read, .names, .open])
    func switchWithin(kind: SystemCall.Kind) throws {
        let volume = try MountedVolume()
        try volume.publish(["a": "1", "b": "1", "inner/c": "1"], links: true)
        let calls = FaultySystemCalls()
        let source = SecretsFolderSource(
            volume.path, clock: ManualClock(), calls: calls, watching: ManualFileWatching())
        calls.beforeNext(kind) { try? volume.publish(["a": "2", "b": "2", "inner/c": "2"]) }
        let contents = try source.load()
        #expect(
            contents.tree.root == ["a": .string("2"), "b": .string("2"), "inner": .dictionary(["c": .string("2")])])
        #expect(contents.problems == [])
    }

    @Test("A switch away and back in the middle of a load mixes nothing either") func switchAndBack() throws {
        let volume = try MountedVolume()
        for (name, value) in [("..one", "1"), ("..two", "2")] {
            for file in ["a", "b", "c"] { try volume.write(value, to: "\(name)/\(file)") }
        }
        @Sendable func lead(to name: String) {
            try? volume.link("..data_tmp", to: name)
            try? POSIXSystemCalls().renameFile(
                volume.path.appending("..data_tmp").text, to: volume.path.appending("..data").text)
        }
        lead(to: "..one")
        for file in ["a", "b", "c"] { try volume.link(file, to: "..data/\(file)") }
        let calls = FaultySystemCalls()
        let source = SecretsFolderSource(
            volume.path, clock: ManualClock(), calls: calls, watching: ManualFileWatching())
        calls.beforeNext(.open) {
            lead(to: "..two")
            calls.beforeNext(.close) { calls.beforeNext(.close) { lead(to: "..one") } }
        }
        let contents = try source.load()
        #expect(Set(contents.tree.root.values) == [.string("1")])
    }

    @Test("Each load watches the same places, so that it ends") func samePlaces() async throws {
        let volume = try MountedVolume()
        try volume.publish(["a": "1", "inner/b": "2"], links: true)
        let watching = ManualFileWatching()
        let root = FilePath(try volume.path.resolved)
        for _ in 0..<200 {
            let source = SecretsFolderSource(
                volume.path, clock: ManualClock(), calls: POSIXSystemCalls(), watching: watching)
            source.watch {}
            _ = try source.load()
            #expect(watching.places[root]?.isSuperset(of: [".", "..data"]) == true)
            await source.close()
        }
    }

    @Test("What happens to files and folders is reported") func watched() async throws {
        let volume = try MountedVolume()
        try volume.write("1", to: "a")
        let source = source(of: volume)
        _ = try source.load()
        let changes = ReportedChanges(of: source)
        try volume.write("2", to: "a")
        try await changes.load { $0["a"] == .string("2") }
        try volume.write("3", to: "new")
        try await changes.load { $0["new"] == .string("3") }
        try volume.write("4", to: "folder/key")
        try await changes.load { $0["folder.key"] == .string("4") }
        try volume.write("5", to: "folder/key")
        try await changes.load { $0["folder.key"] == .string("5") }
        try FileManager.default.removeItem(at: volume.folder)
        try await changes.load { $0.root.isEmpty }
        try volume.write("6", to: "a")
        try await changes.load { $0["a"] == .string("6") }
        await source.close()
    }

    @Test("What has no events is found by a look now and then, and reported once") func slowLook() async throws {
        let volume = try MountedVolume()
        try volume.write("1", to: "a")
        let clock = ManualClock()
        let watching = ManualFileWatching()
        let source = SecretsFolderSource(
            volume.path, interval: .seconds(30), clock: clock, calls: POSIXSystemCalls(), watching: watching)
        _ = try source.load()
        let changes = ReportedChanges(of: source)
        #expect(watching.places[FilePath(try volume.path.resolved)] == ["."])
        try await changes.expectChecks(on: clock) {
            try volume.write("2", to: "a")
        } untilIt: {
            $0["a"] == .string("2")
        }
        await source.close()
        await clock.deadlines { $0.isEmpty }
        #expect(watching.places.isEmpty)
    }

    @Test("A source that is let go of looks no more") func release() async throws {
        let volume = try MountedVolume()
        let clock = ManualClock()
        var source: SecretsFolderSource? = SecretsFolderSource(
            volume.path, clock: clock, calls: POSIXSystemCalls(), watching: ManualFileWatching())
        source?.watch {}
        await clock.sleepers(atLeast: 1)
        weak let released = source
        source = nil
        await clock.deadlines { $0.isEmpty }
        #expect(released == nil)
    }
}

extension FilePath {
    /// The path without links.
    fileprivate var resolved: String {
        get throws { try FileOperations(POSIXSystemCalls()).resolve(self).resolved.text }
    }
}
