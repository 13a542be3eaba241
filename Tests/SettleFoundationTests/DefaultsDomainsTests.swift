import Foundation
import Settle
import SettleFoundation
import SettleTestSupport
import SettleTesting
import Testing

private struct App: SettingsGroup {
    @Setting var count = 0
    @Setting var token: Secret<String>?
}

private struct Site: SettingsGroup {
    @Setting var declared: URL?
}

@Suite(.timeLimit(.minutes(10))) struct DefaultsDomainsTests {
    private func open(_ searching: SearchList = [.application]) async throws -> (SettingsDefaults, InMemoryStorage) {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage, searching: searching)
        return (SettingsDefaults(store, domainName: "com.example.app"), storage)
    }

    private func openSeveral(_ count: Int) async throws -> [SettingsDefaults] {
        var all: [SettingsDefaults] = []
        for _ in 0..<count { all.append(try await open().0) }
        return all
    }

    private func same(_ domain: [String: Any]?, _ other: [String: Any]) -> Bool {
        domain.map { NSDictionary(dictionary: $0) == NSDictionary(dictionary: other) } ?? false
    }

    // MARK: Registered defaults

    @Test("Registered defaults count last, are added to one another, and are not stored") func registering()
        async throws
    {
        let (defaults, storage) = try await open()
        let app = try await defaults.store.group(App.self)
        defaults.register(defaults: ["count": 3, "name": "a"])
        defaults.register(defaults: ["name": "b", "bad": NSObject()])
        #expect(app.count == 3 && defaults.integer(forKey: "count") == 3 && defaults.string(forKey: "name") == "b")
        defaults.set(4, forKey: "count")
        #expect(app.count == 4 && defaults.integer(forKey: "count") == 4)
        #expect(same(defaults.volatileDomain(forName: SettingsDefaults.registrationDomain), ["count": 3, "name": "b"]))
        try await defaults.store.flush()
        #expect(storage.tree.root == ["count": .integer(4)])
        #expect(same(defaults.dictionaryRepresentation(), ["count": 4, "name": "b"]))
        for await issue in defaults.store.issues {
            #expect(issue.key == "bad")
            break
        }
    }

    @Test("A store that searches registered defaults keeps its own") func ownRegistration() async throws {
        let (defaults, _) = try await open([.application, .registration])
        try defaults.store.domains.register(["name": "store", "other": 1])
        defaults.register(defaults: ["name": "defaults"])
        #expect(defaults.string(forKey: "name") == "defaults" && defaults.integer(forKey: "other") == 1)
        #expect(defaults.store.domains.map(\.name) == [.application, .registration, .declaration])
    }

    @Test("Calls that wait on all threads of the concurrency runtime come to their end") func waitingEverywhere()
        async throws
    {
        let stores = try await openSeveral(8)
        await withTaskGroup { group in
            for (number, defaults) in stores.enumerated() {
                group.addTask {
                    for _ in 0..<25 {
                        defaults.addSuite(named: "settle-test-waiting-\(number)")
                        defaults.removeSuite(named: "settle-test-waiting-\(number)")
                    }
                }
            }
        }
        #expect(stores.allSatisfy { $0.store.domains.count == 2 })
    }

    @Test("A registered URL is kept as a written one, also for a declared URL, and another object is refused by itself")
    func registeringURLs() async throws {
        let (defaults, _) = try await open()
        let site = try #require(URL(string: "https://example.com/a"))
        let declared = try await defaults.store.group(Site.self)
        let object = try #require(NSURL(string: "b:c"))
        defaults.register(defaults: ["site": site, "declared": site, "object": object, "bad": NSObject()])
        #expect(defaults.url(forKey: "site") == site && declared.declared == site)
        #expect(defaults.url(forKey: "object") == URL(string: "b:c"))
        defaults.set("/tmp/x", forKey: "site")
        #expect(defaults.url(forKey: "site") == URL(filePath: "/tmp/x"))
        for await issue in defaults.store.issues {
            #expect(issue.key == "bad" && issue.description.contains("“bad” can't be a NSObject"))
            break
        }
    }

    // MARK: Persistent domains

    @Test("The store's own domain is read, replaced and removed") func ownDomain() async throws {
        let (defaults, storage) = try await open()
        let app = try await defaults.store.group(App.self)
        #expect(defaults.persistentDomain(forName: "com.example.app") == nil)
        app.count = 2
        app.token = Secret("hidden")
        defaults.set("x", forKey: "a.b")
        #expect(same(defaults.persistentDomain(forName: "com.example.app"), ["count": 2, "a.b": "x"]))
        defaults.setPersistentDomain(["count": 5, "list": [1]], forName: "com.example.app")
        #expect(app.count == 5 && app.token?.revealed == "hidden" && defaults.object(forKey: "a.b") == nil)
        defaults.setPersistentDomain(["count": "none", "list": [2]], forName: "com.example.app")
        defaults.setPersistentDomain(["count": 6, "list": NSObject()], forName: "com.example.app")
        #expect(same(defaults.persistentDomain(forName: "com.example.app"), ["count": 5, "list": [1]]))
        defaults.removePersistentDomain(forName: "com.example.app")
        #expect(app.count == 0 && defaults.persistentDomain(forName: "com.example.app") == nil)
        try await defaults.store.flush()
        #expect(storage.tree.root == ["token": .string("hidden")])
        var issues = defaults.store.issues.makeAsyncIterator()
        #expect(await issues.next()?.code == .importRefused)
        #expect(await issues.next()?.key == "list")
    }

    @Test("The domain of all programs is that of the search list, and its file is written") func globalDomain()
        async throws
    {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "global.json")
        let (defaults, _) = try await open([.application, .global(at: file)])
        #expect(defaults.persistentDomain(forName: SettingsDefaults.globalDomain) == nil)
        defaults.setPersistentDomain(["theme": "dark"], forName: SettingsDefaults.globalDomain)
        #expect(defaults.string(forKey: "theme") == "dark")
        #expect(same(defaults.persistentDomain(forName: SettingsDefaults.globalDomain), ["theme": "dark"]))
        let other = try await SettingsStore.open(at: file)
        #expect(other.keys["theme"] == .string("dark"))
        try await other.close()
        defaults.removePersistentDomain(forName: SettingsDefaults.globalDomain)
        #expect(defaults.string(forKey: "theme") == nil)
        let (without, _) = try await open()
        #expect(without.persistentDomain(forName: SettingsDefaults.globalDomain) == nil)
        without.setPersistentDomain(["theme": "dark"], forName: SettingsDefaults.globalDomain)
        for await issue in without.store.issues {
            #expect(issue.code == .domain && issue.description.contains("Open the store with `.global()`"))
            break
        }
    }

    @Test("A suite is another program's domain: asked, read, replaced and removed") func suites() async throws {
        let name = "settle-tests-\(UUID())"
        let file = try StandardLocation().file(forStore: name)
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let (defaults, _) = try await open()
        #expect(defaults.persistentDomain(forName: name) == nil)
        #expect(!FileManager.default.fileExists(atPath: file.deletingLastPathComponent().path))
        defaults.setPersistentDomain(["shared": 1, "own": 2], forName: name)
        #expect(same(defaults.persistentDomain(forName: name), ["shared": 1, "own": 2]))
        defaults.setPersistentDomain(["shared": 1, "own": 2, "list": [1]], forName: name)
        defaults.setPersistentDomain(["shared": 1, "own": 2], forName: name)
        #expect(same(defaults.persistentDomain(forName: name), ["shared": 1, "own": 2]))
        #expect(defaults.object(forKey: "shared") == nil)
        defaults.set(3, forKey: "own")
        defaults.addSuite(named: name)
        #expect(defaults.integer(forKey: "shared") == 1 && defaults.integer(forKey: "own") == 3)
        defaults.setPersistentDomain(["shared": 4], forName: name)
        #expect(defaults.integer(forKey: "shared") == 4)
        #expect(same(defaults.persistentDomain(forName: name), ["shared": 4]))
        defaults.removeSuite(named: name)
        #expect(defaults.object(forKey: "shared") == nil && defaults.integer(forKey: "own") == 3)
    }

    @Test("Domains can't be changed inside of a write, which would wait for itself") func insideWrite() async throws {
        let (defaults, _) = try await open()
        try defaults.store.update { defaults.addSuite(named: "other") }
        for await issue in defaults.store.issues {
            #expect(issue.code == .insideTransaction)
            break
        }
    }

    // MARK: Volatile domains

    @Test("Volatile domains are there until they are removed") func volatileDomains() async throws {
        let (defaults, storage) = try await open([.arguments(["-given", "1"]), .application])
        let both = [SettingsDefaults.argumentDomain, SettingsDefaults.registrationDomain]
        #expect(defaults.volatileDomainNames == both)
        defaults.setVolatileDomain(["a": 1], forName: "mine")
        defaults.setVolatileDomain(["b": 2], forName: "mine")
        #expect(same(defaults.volatileDomain(forName: "mine"), ["b": 2]))
        #expect(defaults.volatileDomainNames == both + ["mine"])
        #expect(defaults.object(forKey: "b") == nil)
        defaults.removeVolatileDomain(forName: "mine")
        #expect(defaults.volatileDomain(forName: "mine").isEmpty && defaults.volatileDomainNames == both)
        defaults.set(1, forKey: "key")
        defaults.setVolatileDomain(["key": 9], forName: SettingsDefaults.argumentDomain)
        #expect(defaults.integer(forKey: "key") == 9)
        #expect(same(defaults.volatileDomain(forName: SettingsDefaults.argumentDomain), ["key": 9]))
        defaults.removeVolatileDomain(forName: SettingsDefaults.argumentDomain)
        #expect(defaults.integer(forKey: "key") == 1)
        defaults.setVolatileDomain(["key": 7, "last": 8], forName: SettingsDefaults.registrationDomain)
        #expect(defaults.integer(forKey: "key") == 1 && defaults.integer(forKey: "last") == 8)
        try await defaults.store.flush()
        #expect(storage.tree.root == ["key": .integer(1)])
    }

    @Test("Arguments that are set don't override what an administrator has locked") func argumentsBelowLocks()
        async throws
    {
        let locking = ManualDomainSource(DomainContents(SettingTree(["count": .integer(7)])))
        let (defaults, _) = try await open([.source("policy", locking, locksKeys: true), .application])
        let app = try await defaults.store.group(App.self)
        defaults.setVolatileDomain(["count": 9, "free": 9], forName: SettingsDefaults.argumentDomain)
        #expect(app.count == 7 && defaults.integer(forKey: "count") == 7 && defaults.integer(forKey: "free") == 9)
    }

    // MARK: Forced keys

    @Test("A key that an administrator has locked is forced") func forced() async throws {
        let locking = ManualDomainSource(
            DomainContents(SettingTree(["count": .integer(7), "free.text": .string("x")])))
        let (defaults, _) = try await open([.source("policy", locking, locksKeys: true), .application])
        let app = try await defaults.store.group(App.self)
        #expect(
            app.count == 7 && defaults.objectIsForced(forKey: "count") && defaults.objectIsForced(forKey: "free.text"))
        #expect(!defaults.objectIsForced(forKey: "other"))
        #expect(defaults.objectIsForced(forKey: "count", inDomain: "com.example.app"))
        #expect(!defaults.objectIsForced(forKey: "count", inDomain: "com.example.other"))
        defaults.set(8, forKey: "count")
        #expect(app.count == 7)
    }

    // MARK: Saving and changes

    @Test("synchronize saves, and says whether it did") func synchronizing() async throws {
        let (defaults, storage) = try await open()
        defaults.set(1, forKey: "key")
        #expect(defaults.synchronize() && storage.tree["key"] == .integer(1))
        try await defaults.store.close()
        #expect(!defaults.synchronize())
    }

    @Test("A change from anywhere is posted") func notification() async throws {
        let (defaults, storage) = try await open()
        let app = try await defaults.store.group(App.self)
        try await expectPost(of: defaults) { defaults.set(1, forKey: "key") }
        try await expectPost(of: defaults) { app.count = 2 }
        try await expectPost(of: defaults) { storage.simulateExternalChange(["elsewhere": .integer(3)]) }
        try await expectPost(of: defaults) { defaults.register(defaults: ["late": 4]) }
        #expect(defaults.integer(forKey: "elsewhere") == 3)
    }

    private func expectPost(of defaults: SettingsDefaults, after change: () -> Void) async throws {
        let (posts, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: UserDefaults.didChangeNotification, object: defaults, queue: nil
        ) { _ in continuation.yield() }
        change()
        for await _ in posts { break }
        NotificationCenter.default.removeObserver(observer)
    }

    @Test("An object that is released lets its store close") func release() async throws {
        weak var core: StoreCore?
        do {
            let (defaults, _) = try await open()
            core = defaults.store.core
            defaults.set(1, forKey: "key")
        }
        try await eventually("the store is closed") { core == nil }
    }

    @Test("Waiting for a domain needs no thread of the concurrency runtime") func waiting() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "global.json")
        let (defaults, _) = try await open([.application, .global(at: file)])
        await withTaskGroup { group in
            for number in 0..<32 {
                group.addTask { defaults.setPersistentDomain(["n": number], forName: SettingsDefaults.globalDomain) }
            }
        }
        #expect((0..<32).contains(defaults.integer(forKey: "n")) && defaults.object(forKey: "n") != nil)
    }
}
