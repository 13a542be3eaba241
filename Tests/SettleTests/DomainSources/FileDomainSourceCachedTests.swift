import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Other programs' files, loaded without waiting.
///
/// Whether a file is in memory is up to the system, so each test allows that nothing is loaded at once.
@Suite(.timeLimit(.minutes(10))) struct FileDomainSourceCachedTests {
    private let files: FileStorageFixture

    init() throws {
        files = try FileStorageFixture()
    }

    /// - Returns: A source, and what it has loaded at once.
    private func load() -> (source: FileDomainSource, contents: DomainContents?) {
        // Now the system has the file in memory, and knows which files are missing.
        _ = try? FileDomainSource(at: files.file).load()
        let source = FileDomainSource(at: files.file)
        return (source, source.loadAtOnce(by: CachedSystemCalls()))
    }

    /// Waits until the file system's clock has left the tick of the file's last change.
    private func age() throws {
        let calls = POSIXSystemCalls()
        while !FileSignature(try calls.status(at: files.file.path)).isSettled(at: wallTime(isExact: true)) {
            yieldThread()
        }
    }

    /// Stores values in a journal, and leaves it beside the file.
    private func store(_ values: [SettingKey: SettingValue?]) throws {
        let storage = try files.opened()
        try storage.save(batch(1, values))
        storage.close()
    }

    @Test(
        "What is loaded at once is what a load finds",
        arguments: [nil, "{\"a\": 1, \"b\": {\"c\": \"d\"}}", "{}", "", "{\"a\": ", "<plist", "{\"a\": 1, // text\n}"])
    func agreement(text: String?) throws {
        if let text { try files.write(text) }
        let (source, contents) = load()
        let expected = Result { try FileDomainSource(at: files.file).load() }
        let found = Result { try source.load() }
        switch expected {
        case .success(let expected):
            if let contents { #expect(contents == expected) }
            #expect(try found.get() == expected)
        case .failure: #expect(contents == nil && (try? found.get()) == nil)
        }
    }

    @Test("Values that only the journal has are loaded at once") func journal() throws {
        try store(["a": .integer(1)])
        let writer = try files.opened()
        try writer.append(batch(2, ["a": .integer(2)]), durability: .buffered)
        let (source, contents) = load()
        let found = try contents ?? source.load()
        #expect(found.tree.root == ["a": .integer(2)])
        writer.close()
    }

    @Test("A file behind a link, and one whose name is too long, are not loaded at once") func refused() throws {
        try files.write("{\"a\": 1}", to: "other.json")
        try FileManager.default.createSymbolicLink(atPath: files.file.path, withDestinationPath: "other.json")
        let (source, contents) = load()
        #expect(contents == nil)
        #expect(try source.load().tree.root == ["a": .integer(1)])
        let long = FileDomainSource(at: files.folder.appending(path: String(repeating: "a", count: 250)))
        #expect(long.loadAtOnce(by: CachedSystemCalls()) == nil)
        #expect(throws: StorageError.self) { try long.load() }
    }

    @Test("A file that was loaded at once is read again only after a change") func following() async throws {
        try files.write("{\"a\": 1}")
        try age()
        let (source, contents) = load()
        guard contents != nil else { return }
        let changes = ReportedChanges(of: source)
        #expect(changes.count == 0)
        #expect(try source.load().tree.root == ["a": .integer(1)])
        try files.write("{\"a\": 2}")
        try await changes.load { $0["a"] == .integer(2) }
        try store(["a": .integer(3)])
        try await changes.load { $0["a"] == .integer(3) }
        await source.close()
    }

    @Test("A change between loading at once and watching is reported", arguments: ["edit", "journal", "removal"])
    func earlyChange(kind: String) async throws {
        try files.write("{\"a\": 1}")
        try age()
        let (source, contents) = load()
        guard contents != nil else { return }
        switch kind {
        case "edit": try files.write("{\"a\": 2}")
        case "journal": try store(["a": .integer(2)])
        default: try FileManager.default.removeItem(at: files.file)
        }
        let changes = ReportedChanges(of: source)
        #expect(changes.count > 0)
        let expected: SettingValue? = kind == "removal" ? nil : .integer(2)
        #expect(try source.load().tree["a"] == expected)
        await source.close()
    }

    @Test("What is appended to the journal before or after the watch begins is reported", arguments: [false, true])
    func appending(isEarly: Bool) async throws {
        try store(["a": .integer(1)])
        try age()
        let (source, contents) = load()
        guard contents != nil else { return }
        let writer = try files.opened()
        if isEarly { try writer.append(batch(2, ["a": .integer(2)]), durability: .buffered) }
        let changes = ReportedChanges(of: source)
        #expect((changes.count > 0) == isEarly)
        if isEarly {
            #expect(try source.load().tree["a"] == .integer(2))
        } else {
            try writer.append(batch(2, ["a": .integer(2)]), durability: .buffered)
            try await changes.load { $0["a"] == .integer(2) }
        }
        writer.close()
        await source.close()
    }

    @Test(
        "A file of settings or state that appears alone before or after the watch begins is reported",
        arguments: ["settings.json", "settings.state.json"], [false, true])
    func missing(name: String, isEarly: Bool) async throws {
        let (source, contents) = load()
        guard let contents else { return }
        #expect(contents == DomainContents())
        if isEarly { try files.write("{\"a\": 1}", to: name) }
        let changes = ReportedChanges(of: source)
        #expect((changes.count > 0) == isEarly)
        if isEarly {
            #expect(try source.load().tree["a"] == .integer(1))
        } else {
            try files.write("{\"a\": 1}", to: name)
            try await changes.load { $0["a"] == .integer(1) }
        }
        await source.close()
    }
}
