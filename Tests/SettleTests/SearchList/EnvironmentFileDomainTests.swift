import Foundation
import SettleTesting
import Testing

@testable import Settle

/// A file with environment variables in the search list of a store.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct EnvironmentFileDomainTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.url.appending(path: ".env") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: file, options: .atomic) }

    private func open(_ domains: SearchList.Domain...) async throws -> SettingsStore {
        try await SettingsStore.open(storage: InMemoryStorage(), searching: SearchList(domains))
    }

    @Test("Its texts get the types of the declarations, and an edit is in force and explained") func edited()
        async throws
    {
        try write("APP_COUNT=7\nAPP_IS_ON=yes\nAPP_LIST=1,2\nAPP_INNER_LEVEL=2.5\nAPP_TOKEN=hunter2\n")
        let store = try await open(
            .environment(prefix: "APP", variables: ["APP_NAME": "process"]), .environmentFile(at: file, prefix: "APP"),
            .application)
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.count == 7 && settings.isOn && settings.list == [1, 2] && settings.inner.level == 2.5)
        #expect(settings.token.revealed == "hunter2" && settings.name == "process")
        let name = DomainName.environmentFile(".env")
        #expect(settings.$count.domains.current == name && settings.$count.domains.origin == .environment)
        #expect(name.description == "environment .env")
        var changes = settings.changes.makeAsyncIterator()
        try write(
            "# edited\nAPP_COUNT=8\nAPP_NAME=file\nAPP_IS_ON=yes\nAPP_LIST=1,2\nAPP_INNER_LEVEL=2.5\nAPP_TOKEN=hunter2\n"
        )
        let change = try #require(await changes.next())
        #expect(change.mutations.map(\.key) == ["count"] && change.domain == name && settings.count == 8)
        let text = store.keys.explanation(forKey: "count").description
        #expect(text.contains("▸ environment .env  \"8\"  (“\(file.path)”, line 2)"), "\(text)")
        #expect(!store.keys.explanation(forKey: "token").description.contains("hunter2"))
        await #expect(throws: SettingsError.self) { try await store.domains[name].update { settings.count = 2 } }
    }

    @Test("A line that can't be read leaves the last good values in force, and the issue names it") func broken()
        async throws
    {
        try write("APP_COUNT=7\n")
        let store = try await open(.environmentFile(at: file, prefix: "APP"), .application)
        let settings = try await store.group(LayeredGroup.self)
        var issues = store.issues.makeAsyncIterator()
        try write("APP_COUNT=8\nhunter2\n")
        let issue = try #require(await issues.next())
        #expect(issue.description.contains("“\(file.path)” can't be used as it is. Line 2, column 8"))
        #expect(!issue.description.contains("hunter2") && settings.count == 7)
        var changes = settings.changes.makeAsyncIterator()
        try write("APP_COUNT=9\n")
        #expect(await changes.next()?.mutations.map(\.key) == ["count"])
        #expect(settings.count == 9)
    }

    @Test("A store opens without a file that is broken from the start, or is not there") func brokenFromTheStart()
        async throws
    {
        try write("APP_COUNT='")
        let store = try await open(
            .environmentFile(at: file, prefix: "APP"),
            .environmentFile(at: folder.url.appending(path: "absent"), prefix: "APP"), .application)
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.count == 1)
        var changes = settings.changes.makeAsyncIterator()
        try write("APP_COUNT='9'")
        #expect(await changes.next() != nil && settings.count == 9)
    }

    @Test("Several files are asked in their order; registered keys and a prefix from the store's name") func several()
        async throws
    {
        let local = folder.url.appending(path: ".env.local")
        try Data("APP_COUNT=1\n".utf8).write(to: local)
        try write("APP_COUNT=2\nAPP_NAME=x\nAPP_LATE_HOST=h\n")
        let store = try await open(.environmentFile(at: local), .environmentFile(at: file), .application, .registration)
        let settings = try await store.group(LayeredGroup.self)
        #expect(settings.$count.domains.current == "environment .env.local" && settings.name == "x")
        try store.domains.register(["late.host": "default"])
        #expect(try store.keys.value(forKey: "late.host", as: String.self) == "h")
        #expect(throws: SettingsError.self) { try store.domains.register(["lateHost": 1]) }
        let error = await #expect(throws: SettingsError.self) {
            _ = try await open(.environmentFile(at: file), .environmentFile(at: file), .application)
        }
        #expect(error?.description.contains("“environment .env” is in the search list twice") == true)
        await #expect(throws: SettingsError.self) {
            _ = try await open(.environmentFile(at: file, prefix: "app"), .application)
        }
    }

    @Test("What was loaded before a setting was declared doesn't take its value away") func lateDelivery() async throws
    {
        try write("APP_COUNT=7\n")
        let store = try await open(.environmentFile(at: file), .application)
        let domain = try #require(store.core.domains["environment .env"])
        let early = try await domain.source?.load()
        let settings = try await store.group(LayeredGroup.self)
        store.core.deliver(.success(try #require(early)), to: domain)
        #expect(settings.count == 7)
    }

    @Test("An owner's settings and an empty text for another type than a string get nothing") func ignored()
        async throws
    {
        try write("APP_ATTEMPTS=5\nAPP_COUNT=\nAPP_NAME=\n")
        let store = try await open(.environmentFile(at: file), .application)
        let (owned, settings) = (
            try await store.group(OwnedLayeredGroup.self), try await store.group(LayeredGroup.self)
        )
        #expect(owned.attempts == 0 && settings.count == 1 && settings.name == "")
    }
}
