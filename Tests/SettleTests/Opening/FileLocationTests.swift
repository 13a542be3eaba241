import Foundation
import SettleTestSupport
import SettleTesting
import Testing

@testable import Settle

/// Which paths are one file.
@Suite(.timeLimit(.minutes(10))) struct FileLocationTests {
    private func open(_ file: URL, in files: StoreRegistry, _ storage: any Storage) async throws -> SettingsStore {
        try await SettingsStore.open(at: file, in: files) { storage }
    }

    /// A case-insensitive file system.
    private func caseInsensitive(_ names: [String], _ identity: @escaping @Sendable () -> UInt64 = { 2 })
        -> StoreRegistry
    {
        StoreRegistry(
            identities: FileIdentities { path in
                let isFile = names.contains { $0.lowercased() == path.name.lowercased() }
                return .init(device: 1, file: isFile ? identity() : 1)
            } names: { _ in
                names
            })
    }

    @Test("Two spellings of a file share a store where the file system treats them as one")
    func spellings() async throws {
        let files = caseInsensitive(["A.json"])
        let first = try await open(URL(filePath: "/nowhere/A.json"), in: files, InMemoryStorage())
        let second = try await open(URL(filePath: "/nowhere/a.json"), in: files, InMemoryStorage())
        #expect(second == first && files.count == 1)
        #expect(try await open(URL(filePath: "/nowhere/a.JSON"), in: files, InMemoryStorage()) == first)
        #expect(try await open(URL(filePath: "/nowhere/b.json"), in: files, InMemoryStorage()) != first)
    }

    @Test("Opening another spelling waits while the file is being opened or closed")
    func waiting() async throws {
        let files = caseInsensitive(["A.json"])
        let storage = FailingStorage()
        let opening = storage.hold(.load)
        let first = Task { try await open(URL(filePath: "/nowhere/A.json"), in: files, storage) }
        await opening.waitUntilReached()
        let second = Task { try await open(URL(filePath: "/nowhere/a.json"), in: files, InMemoryStorage()) }
        try await eventually("an opening waits") { files.waiterCount > 0 }
        opening.release()
        let store = try await first.value
        #expect(try await second.value == store)
        try await second.value.close()
        let closing = storage.hold(.checkpoint)
        let close = Task { try await store.close() }
        await closing.waitUntilReached()
        let third = Task { try await open(URL(filePath: "/nowhere/a.json"), in: files, InMemoryStorage()) }
        try await eventually("an opening waits") { files.waiterCount > 0 }
        closing.release()
        try await close.value
        #expect(try await third.value != store)
        #expect(files.count == 1)
    }

    @Test("A save that replaces the file between two lookups does not make it two files") func replaced() async throws {
        let looks = LockedValue<UInt64>(0)
        // Each of the first lookups finds a different file.
        let files = caseInsensitive(["A.json"]) {
            looks.withLock { looks in
                looks += 1
                return 100 + min(looks, 6)
            }
        }
        let first = try await open(URL(filePath: "/nowhere/A.json"), in: files, InMemoryStorage())
        #expect(try await open(URL(filePath: "/nowhere/a.json"), in: files, InMemoryStorage()) == first)
    }

    @Test("Two paths to one folder, such as a bind mount, lead to one file, even while it is missing")
    func twoPaths() async throws {
        let files = StoreRegistry(
            identities: FileIdentities { path in
                ["/one", "/two"].contains(path.text) ? .init(device: 1, file: 1) : nil
            } names: { _ in
                []
            })
        let first = try await open(URL(filePath: "/one/a.json"), in: files, InMemoryStorage())
        #expect(try await open(URL(filePath: "/two/a.json"), in: files, InMemoryStorage()) == first)
        // How the file system would spell a missing file is unknown.
        #expect(try await open(URL(filePath: "/two/A.json"), in: files, InMemoryStorage()) != first)
        #expect(try await open(URL(filePath: "/three/a.json"), in: files, InMemoryStorage()) != first)
    }

    @Test("A comparison may block if the folder was missing, or if names differ only in case")
    func mayBlock() {
        let identities = FileIdentities { path in
            path.text == "/there" ? .init(device: 1, file: 1) : nil
        } names: { _ in
            []
        }
        let found = FileLocation(FilePath("/there/a.json"), identities)
        let missing = FileLocation(FilePath("/missing/a.json"), identities)
        let other = FilePath("/other/a.json")
        #expect(!found.mayBlock(comparedTo: other) && missing.mayBlock(comparedTo: other))
        #expect(found.mayBlock(comparedTo: FilePath("/other/A.json")))
        for location in [found, missing] { #expect(!location.mayBlock(comparedTo: FilePath("/other/b.json"))) }
    }

    #if os(Linux)
        @Test("Names that are equal only to Unicode are two files where the file system says so")
        func unicode() async throws {
            try await withTemporaryFolder { folder in
                let names = ["caf\u{e9}.json", "cafe\u{301}.json"]
                var stores: [SettingsStore] = []
                for (number, name) in names.enumerated() {
                    let store = try await SettingsStore.open(at: URL(filePath: folder.path + "/" + name))
                    try store.keys.setValue(number, forKey: "number")
                    stores.append(store)
                }
                #expect(stores[0] != stores[1])
                for store in stores { try await store.close() }
                for (number, name) in names.enumerated() {
                    let store = try await SettingsStore.open(at: URL(filePath: folder.path + "/" + name))
                    #expect(try store.keys.value(forKey: "number") == number)
                    try await store.close()
                }
            }
        }
    #endif

    /// Names for a second link, which the file system must distinguish from the first.
    private static var linkNames: [String] {
        #if os(Linux)
            ["b.json", "A.json"]
        #else
            ["b.json"]
        #endif
    }

    @Test("Hard links are two files, and saving one leaves the other unchanged", arguments: linkNames)
    func hardLinks(name: String) async throws {
        try await withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "a.json"), folder.appending(path: name))
            try Data(#"{"count": 1}"#.utf8).write(to: file)
            try FileManager.default.linkItem(at: file, to: link)
            let (first, second) = (try await SettingsStore.open(at: file), try await SettingsStore.open(at: link))
            #expect(first != second)
            try first.keys.setValue(2, forKey: "count")
            try await first.close()
            #expect(try second.keys.value(forKey: "count") == 1)
            #expect(try Data(contentsOf: link) == Data(#"{"count": 1}"#.utf8))
            try await second.close()
        }
    }
}
