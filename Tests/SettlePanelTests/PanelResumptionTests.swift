import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Streams that go on where a page, or an earlier connection, has been.
@Suite(.timeLimit(.minutes(10))) struct PanelResumptionTests {
    struct Values: SettingsGroup {
        @Setting var count = 3
        @Setting var name = "x"
        @Setting var nick: String?
        @Setting var token: Secret<String>?
    }

    /// A program whose files outlive it.
    private final class Service {
        let store: SettingsStore
        let values: Values
        let browser: PanelBrowser

        init(
            _ folder: TemporaryFolder, in name: String = "app.json", boss: ManualDomainSource? = nil,
            history: HistoryPolicy = .keep(transactions: 100)
        ) async throws {
            store = try await SettingsStore.open(
                at: folder.url.appending(path: name),
                searching: boss.map { [.source("boss", $0), .application] } ?? [.application],
                configuration: .init(history: history))
            values = try await store.group(Values.self)
            browser = PanelBrowser(
                SettingsPanel(store, groups: Values.self, configuration: .init(title: "x", access: .everyone)))
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A stored file, with a page of it.
    private func page(of service: Service) async throws -> String {
        try await service.store.commit { service.values.count = 4 }
        return try await service.browser.get("/").eventsAddress
    }

    private let everything = ["count", "name", "nick", "token"]

    @Test("A fresh page is told nothing that it shows already") func freshPageTold() async throws {
        let service = try await Service(folder)
        let address = try await page(of: service)
        var reader = try await service.browser.events(address)
        #expect(try await reader.next().sentKeys == [])
        #expect(!reader.lastID.isEmpty)
        try await service.store.commit { service.values.name = "y" }
        #expect(try await reader.next(until: "event: forms").sentKeys == ["name"])
    }

    @Test("What changes between a page and its stream is told first") func changesBetweenPage() async throws {
        let service = try await Service(folder)
        let address = try await page(of: service)
        try await service.store.commit { service.values.name = "y" }
        var reader = try await service.browser.events(address)
        #expect(try await reader.next().sentKeys == ["name"])
    }

    @Test("A stream without a place begins with everything") func streamWithoutPlace() async throws {
        let service = try await Service(folder)
        _ = try await page(of: service)
        for address in ["/events?pane=", "/events?pane=&since=", "/events?pane=&since=..0.", "/events?pane=&since=%00"]
        {
            var reader = try await service.browser.events(address)
            #expect(try await reader.next().sentKeys == everything, "\(address)")
        }
    }

    @Test("A resumed stream has exactly what has changed since, and what has become what it was is not in it")
    func resumedStreamExactly()
        async throws
    {
        let service = try await Service(folder)
        let address = try await page(of: service)
        var first = try await service.browser.events(address)
        _ = try await first.next()
        try await service.store.commit { service.values.name = "told" }
        _ = try await first.next(until: "told")
        let id = first.lastID
        var same = try await service.browser.events(address, after: id)
        #expect(try await same.next().sentKeys == [])
        try await service.store.commit { service.values.count = 5 }
        try await service.store.commit { service.values.nick = "n" }
        try await service.store.commit { service.values.count = 4 }
        var second = try await service.browser.events(address, after: id)
        #expect(try await second.next().sentKeys == ["nick"])
    }

    @Test("A secret that became another looks the same and is told") func secretBecameAnotherLooks() async throws {
        let service = try await Service(folder)
        try await service.store.commit { service.values.token = Secret("first") }
        let address = try await page(of: service)
        try await service.store.commit { service.values.token = Secret("second") }
        try await service.store.commit { service.values.name = "y" }
        var reader = try await service.browser.events(address)
        #expect(try await reader.next().sentKeys == ["name", "token"])
    }

    @Test("What another domain has changed while nobody was connected is told")
    func anotherDomainChanged() async throws {
        let boss = ManualDomainSource(DomainContents(SettingTree()))
        let service = try await Service(folder, boss: boss)
        let address = try await page(of: service)
        var first = try await service.browser.events(address)
        _ = try await first.next()
        let id = first.lastID
        boss.set(DomainContents(SettingTree(["name": .string("by the boss")])))
        for await name in service.values.$name where name == "by the boss" { break }
        for place in [nil, id] {
            var reader = try await service.browser.events(address, after: place)
            let piece = try await reader.next()
            #expect(piece.sentKeys == ["name"] && piece.contains("by the boss"))
        }
    }

    @Test("A stream goes on after a restart, with what others have stored meanwhile")
    func streamGoesAfter() async throws {
        var address = ""
        var id = ""
        do {
            let service = try await Service(folder)
            address = try await page(of: service)
            var reader = try await service.browser.events(address)
            _ = try await reader.next()
            id = reader.lastID
            try await service.store.close()
        }
        do {
            let other = try await Service(folder)
            try await other.store.commit { other.values.nick = "meanwhile" }
            try await other.store.close()
        }
        let service = try await Service(folder)
        var reader = try await service.browser.events(address, after: id)
        #expect(try await reader.next().sentKeys == ["nick"])
        var again = try await service.browser.events(address, after: reader.lastID)
        #expect(try await again.next().sentKeys == [])
    }

    /// As when a program is killed before it has saved what its page shows.
    @Test("A value that was shown and never stored is told away") func valueShownNever() async throws {
        let service = try await Service(folder)
        _ = try await page(of: service)
        let copy = folder.url.appending(path: "copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where name != "copy" {
            try FileManager.default.copyItem(at: folder.url.appending(path: name), to: copy.appending(path: name))
        }
        service.values.count = 9
        let address = try await service.browser.get("/").eventsAddress
        let next = try await Service(folder, in: "copy/app.json")
        var reader = try await next.browser.events(address)
        let piece = try await reader.next()
        #expect(piece.sentKeys.contains("count") && piece.contains("value=\\\"4\\\""))
    }

    @Test("A place of another past, or one that is forgotten, gives everything") func placeAnotherPast() async throws {
        let service = try await Service(folder, history: .none)
        let address = try await page(of: service)
        let since = try #require(address.firstMatch(of: /since=([^&]*)/)).1
        let parts = since.split(separator: ".", maxSplits: 1)
        let other = "00c0ffee00c0ffee-42-0123456789abcdef." + parts[1]
        var reader = try await service.browser.events(address, after: other)
        #expect(try await reader.next().sentKeys == everything)
        // A place of when there was no history yet.
        var none = try await service.browser.events(address, after: "." + parts[1])
        #expect(try await none.next().sentKeys == everything)
        var garbage = try await service.browser.events(address, after: "\(since)A")
        #expect(try await garbage.next().sentKeys == everything)
    }

    @Test("A page of a store without a history is told what looks otherwise") func pageStoreWithout() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let values = try await store.group(Values.self)
        let browser = PanelBrowser(
            SettingsPanel(store, groups: Values.self, configuration: .init(title: "x", access: .everyone)))
        let address = try await browser.get("/").eventsAddress
        values.name = "y"
        var reader = try await browser.events(address)
        #expect(try await reader.next().sentKeys == ["name"])
    }

    @Test("The place of a page with very many settings fits in a header, and misses nothing")
    func placePageVery() async throws {
        let store = try await SettingsStore.open(at: folder.url.appending(path: "app.json"))
        try await store.commit { for number in 0..<500 { try store.keys.setValue(number, forKey: "key\(number)") } }
        let browser = PanelBrowser(
            SettingsPanel(valuesOf: store, configuration: .init(title: "x", access: .everyone)))
        let address = try await browser.get("/").eventsAddress
        #expect(address.utf8.count < 1_200)
        var same = try await browser.events(address)
        #expect(try await same.next().sentKeys == [])
        try await store.commit { try store.keys.setValue(-1, forKey: "key77") }
        var reader = try await browser.events(address)
        let keys = try await reader.next(until: "event: forms").sentKeys
        #expect(keys.contains("key77") && keys.count < 10)
    }

    @Test("A page of another language, or of other settings, is told everything")
    func pageAnotherLanguage() async throws {
        let service = try await Service(folder)
        let address = try await page(of: service)
        let german = await service.browser.get(address, [("Accept-Language", "de")])
        var reader = try PanelEventReader(german.response)
        #expect(try await reader.next().sentKeys == everything)
        let moved = address.replacing(/since=([^.]*)\.[^.]*\./) { "since=\($0.1).other." }
        var other = try await service.browser.events(moved)
        #expect(try await other.next().sentKeys == everything)
    }
}
