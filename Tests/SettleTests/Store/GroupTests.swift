import Settle
import SettleTesting
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct DottedSettings: SettingsGroup {
    @Setting("network.proxy.port") var port = 80
    @Setting("network.name") var name = "n"
}

private struct TwinSettings: SettingsGroup {
    @Setting("same") var first = 0
    @Setting("same") var second = 0
}

private struct ParentAndChildSettings: SettingsGroup {
    @Setting("a") var parent = 0
    @Setting("a.b") var child = 0
}

private struct EmptyKeySettings: SettingsGroup {
    @Setting("a..b") var value = 0
}

private struct OtherSettings: SettingsGroup {
    @Setting var count = 0
}

@Suite(.timeLimit(.minutes(10))) struct GroupTests {
    @Test("A group opened twice at one path shares its values, streams and transactions")
    func alias() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let first = try await store.group(OuterSettings.self)
        let second = try await store.group(OuterSettings.self)
        let inner = try await store.group(CounterSettings.self, at: "inner")
        first.inner.count = 1
        second.inner.count += 1
        inner.count += 1
        inner.list.append(1)
        #expect(first.inner.count == 3 && second.inner.count == 3 && second.inner.list == [1])
        let values = ChangeRecorder(second.inner.$count)
        let changes = ChangeRecorder(inner.changes)
        #expect(await values.next() == 3)
        #expect(throws: TestFailure()) {
            try second.update {
                first.inner.count = 10
                #expect(second.inner.count == 10 && inner.count == 10)
                inner.count = 11
                throw TestFailure()
            }
        }
        #expect(first.inner.count == 3 && second.inner.count == 3)
        try second.inner.$count.set(4)
        #expect(await values.next() == 4)
        #expect(await changes.next()?[first.inner.$count]?.newValue == 4)
        #expect(second.snapshot().inner.count == 4 && second.snapshot { $0.inner.count } == 4)
        try second.inner.$count.modify { $0 += 1 }
        try second.inner.reset()
        #expect(first.inner.count == 0 && second.inner.$count.key == "inner.count")
    }

    @Test("One group type at two paths is two groups")
    func twoPaths() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let first = try await store.group(CounterSettings.self, at: "servers.eu")
        let second = try await store.group(CounterSettings.self, at: "servers.us")
        first.count = 1
        second.count = 2
        #expect(first.count == 1 && second.count == 2)
        #expect(first.$count.key == "servers.eu.count" && second.$count.key == "servers.us.count")
        try await store.flush()
        #expect(storage.tree["servers.eu.count"] == .integer(1) && storage.tree["servers.us.count"] == .integer(2))
    }

    @Test("Keys with dots nest")
    func dots() async throws {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage)
        let settings = try await store.group(DottedSettings.self, at: "app")
        let changes = ChangeRecorder(settings.changes)
        settings.port = 8_080
        settings.name = "x"
        #expect(await changes.next()?.mutations.map(\.key) == ["app.network.proxy.port"])
        try await store.close()
        let network: SettingValue = .dictionary([
            "name": .string("x"), "proxy": .dictionary(["port": .integer(8_080)]),
        ])
        #expect(storage.tree.root == ["app": .dictionary(["network": network])])
        let again = try await SettingsStore.open(storage: InMemoryStorage(storage.tree))
        #expect(try await again.group(DottedSettings.self, at: "app").port == 8_080)
    }

    @Test("Two settings with one key are an error that names both, and nothing is opened")
    func duplicateKeys() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(TwinSettings.self) }
        #expect(error?.code == .duplicateKey && error?.key == "same")
        #expect(error?.description.contains("TwinSettings.first") == true)
        #expect(error?.description.contains("TwinSettings.second") == true)
        let nested = await #expect(throws: SettingsError.self) { try await store.group(ParentAndChildSettings.self) }
        #expect(nested?.code == .duplicateKey)
        #expect(nested?.description.contains("ParentAndChildSettings.parent") == true)
        #expect(nested?.description.contains("ParentAndChildSettings.child") == true)
        let settings = try await store.group(CounterSettings.self)
        let other = await #expect(throws: SettingsError.self) { try await store.group(OtherSettings.self) }
        #expect(other?.description.contains("OtherSettings.count") == true)
        #expect(other?.description.contains("CounterSettings.count") == true)
        let below = await #expect(throws: SettingsError.self) {
            try await store.group(OtherSettings.self, at: "count")
        }
        #expect(below?.code == .duplicateKey && settings.count == 0)
        #expect(throws: SettingsError.self) { try store.keys.setValue(1, forKey: "count.below") }
        #expect(throws: SettingsError.self) { try store.keys.setValue(1, forKey: "") }
    }

    @Test("A key or path with an empty part is an error", arguments: [".", "a..b", ".a", "a."])
    func emptyParts(path: String) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(OtherSettings.self, at: path) }
        #expect(error?.code == .invalidKey)
        let key = await #expect(throws: SettingsError.self) { try await store.group(EmptyKeySettings.self) }
        #expect(key?.code == .invalidKey && key?.key == "a..b")
    }

    @Test("Opening a file again gives the same store, even through other spellings and links")
    func sameFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let link = folder.url.appending(path: "link.json")
        let folderLink = folder.url.appending(path: "folder")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "inner"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: folderLink, withDestinationURL: folder.url)
        let first = try await SettingsStore.open(at: file)
        let settings = try await first.group(CounterSettings.self)
        try await settings.commit { settings.count = 1 }
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let others = [
            file, folder.url.appending(path: "inner/../settings.json"), link,
            folderLink.appending(path: "settings.json"),
        ]
        for other in others { #expect(try await SettingsStore.open(at: other) == first, "\(other.path)") }
        #expect(try await SettingsStore.open(at: folder.url.appending(path: "other.json")) != first)
        try await first.close()
        let reopened = try await SettingsStore.open(at: file)
        #expect(reopened != first)
        #expect(try await reopened.group(CounterSettings.self).count == 1)
    }

    @Test("Opening a file while its store closes waits for the last save")
    func openWhileClosing() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.json")
        let first = try await SettingsStore.open(at: file)
        let slow = SlowSettings.self
        let settings = try await first.group(slow)
        settings.slow = 7
        async let closing: Void = first.close()
        await SlowSettings.gate.waitUntilReached()
        async let second = SettingsStore.open(at: file)
        SlowSettings.gate.open()
        try await closing
        let store = try await second
        #expect(store !== first)
        #expect(try store.keys.value(forKey: "slow") == 7)
    }
}

private struct SlowSettings: SettingsGroup {
    static let gate = Gate()
    @Setting(
        codec: SettingCodec(
            encode: { value in
                gate.pass()
                return .integer(Int64(value))
            },
            decode: { _ in throw TestFailure() }))
    var slow = 0
}
