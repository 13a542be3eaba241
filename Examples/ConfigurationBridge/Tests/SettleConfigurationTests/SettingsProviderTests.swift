import Configuration
import ConfigurationTesting
import Dispatch
import Foundation
import Settle
import SettleConfiguration
import Testing

private struct DictionarySettings: SettingsGroup {
    @Setting var limits = ["read": 3]
    @Setting var login = Secret(["user": "none"])
}

@Suite(.timeLimit(.minutes(10))) struct SettingsProviderTests {
    private func open(_ tree: SettingTree = SettingTree()) async throws -> SettingsStore {
        try await SettingsStore.open(storage: InMemoryStorage(tree))
    }

    @Test("A store passes swift-configuration's own test of providers") func compatibility() async throws {
        let (first, second) = (Data([1, 2, 3]), Data([0, 255]))
        let values: [String: SettingValue] = [
            "string": .string("Hello"), "other.string": .string("Other Hello"),
            "int": .integer(42), "other.int": .integer(24),
            "double": .real(3.14), "other.double": .real(2.72),
            "bool": .bool(true), "other.bool": .bool(false),
            "bytes": .data(first), "other.bytes": .data(second),
            "stringy.array": .array([.string("Hello"), .string("World")]),
            "other.stringy.array": .array([.string("Hello"), .string("Swift")]),
            "inty.array": .array([.integer(42), .integer(24)]),
            "other.inty.array": .array([.integer(16), .integer(32)]),
            "doubly.array": .array([.real(3.14), .real(2.72)]),
            "other.doubly.array": .array([.real(0.9), .real(1.8)]),
            "booly.array": .array([.bool(true), .bool(false)]),
            "other.booly.array": .array([.bool(false), .bool(true), .bool(true)]),
            "byteChunky.array": .array([.data(first), .data(second)]),
            "other.byteChunky.array": .array([.data(first), .data(second), .data(first)]),
        ]
        var tree = SettingTree()
        for (key, value) in values { tree[key] = value }
        let store = try await open(tree)
        let (one, two) = ([UInt8](first), [UInt8](second))
        let configuration = ProviderCompatTest.TestConfiguration(overrides: [
            "bytes": .bytes(one), "other.bytes": .bytes(two), "byteChunky.array": .byteChunkArray([one, two]),
            "other.byteChunky.array": .byteChunkArray([one, two, one]),
        ])
        try await ProviderCompatTest(provider: SettingsProvider(store), configuration: configuration).runTest()
        try await store.close()
    }

    @Test("A reader gets what a setting has, its default before anything is stored") func declared() async throws {
        let store = try await open()
        let settings = try await store.group(ServiceSettings.self, at: "service")
        let reader = ConfigReader(provider: SettingsProvider(store)).scoped(to: "service")
        #expect(reader.int(forKey: "port") == 8_080)
        settings.port = 9_090
        settings.timeout = .milliseconds(1_500)
        settings.mode = .thorough
        #expect(reader.int(forKey: "port") == 9_090)
        #expect(reader.double(forKey: "port") == 9_090)
        #expect(reader.string(forKey: "timeout") == "1.5s")
        #expect(reader.string(forKey: "start") == "1970-01-01T00:00:00Z")
        settings.start = Date(timeIntervalSinceReferenceDate: 0.000_976_562_5)
        #expect(reader.string(forKey: "start") == "2001-01-01T00:00:00.0009765625Z")
        #expect(reader.string(forKey: "mode", as: Mode.self) == .thorough)
        #expect(reader.int(forKey: "unknown") == nil)
        #expect(reader.snapshot().int(forKey: "port") == 9_090)
        try await store.close()
    }

    @Test("Inside its own transaction a thread reads its writes, and after a rollback the old value") func rollback()
        async throws
    {
        let store = try await open()
        let settings = try await store.group(ServiceSettings.self)
        let reader = ConfigReader(provider: SettingsProvider(store))
        #expect(throws: CancellationError.self) {
            try store.update {
                settings.port = 9_090
                #expect(reader.int(forKey: "port") == 9_090)
                throw CancellationError()
            }
        }
        #expect(reader.int(forKey: "port") == 8_080)
        try await store.close()
    }

    @Test("A repeated read gets a changed entry, secret or undeclared value, also as another type")
    func repeatedReads() async throws {
        let store = try await open(SettingTree(["free": .integer(1)]))
        let settings = try await store.group(DictionarySettings.self)
        let provider = SettingsProvider(store)
        func expect(_ key: AbsoluteConfigKey, _ type: ConfigType, _ expected: ConfigContent?) throws {
            for _ in 0..<2 { #expect(try provider.value(forKey: key, type: type).value?.content == expected) }
        }
        try expect(["limits", "read"], .int, .int(3))
        settings.limits = ["read": 5]
        try expect(["limits", "read"], .int, .int(5))
        try expect(["limits", "read"], .double, .double(5))
        try expect(["free"], .int, .int(1))
        try store.keys.setValue(2, forKey: "free")
        try expect(["free"], .int, .int(2))
        try store.keys.removeValue(forKey: "free")
        try expect(["free"], .int, nil)
        try expect(["login", "user"], .string, .string("none"))
        settings.login = Secret(["user": "carol"])
        try expect(["login", "user"], .string, .string("carol"))
        try await store.close()
    }

    @Test("A repeated read sees that a group is opened and released, and that a value has become a secret")
    func declarations() async throws {
        var tree = SettingTree()
        tree["service.token"] = .string("hunter2")
        let store = try await open(tree)
        let provider = SettingsProvider(store)
        func value(_ name: String, _ type: ConfigType) throws -> ConfigValue? {
            let (first, second) = try (
                provider.value(forKey: ["service", name], type: type),
                provider.value(forKey: ["service", name], type: type)
            )
            #expect(first == second)
            return second.value
        }
        #expect(try value("port", .int) == nil)
        #expect(try value("token", .string) == ConfigValue(.string("hunter2"), isSecret: false))
        _ = try await store.group(ServiceSettings.self, at: "service")
        #expect(try value("port", .int)?.content == .int(8_080))
        #expect(try value("token", .string) == ConfigValue(.string("hunter2"), isSecret: true))
        try await store.release(at: "service")
        #expect(try value("port", .int) == nil)
        try await store.close()
    }

    @Test("After a first read, a thread sees its own transaction's writes, and another thread does not")
    func transactionInProgress() async throws {
        let store = try await open(SettingTree(["free": .integer(1)]))
        let settings = try await store.group(ServiceSettings.self)
        let provider = SettingsProvider(store)
        @Sendable func read(_ name: String) -> ConfigContent? {
            (try? provider.value(forKey: AbsoluteConfigKey([name]), type: .int))?.value?.content
        }
        func expect(_ port: Int, _ free: Int) {
            #expect(read("port") == .int(port))
            #expect(read("free") == .int(free))
        }
        expect(8_080, 1)
        try store.update {
            settings.port = 9_090
            try store.keys.setValue(2, forKey: "free")
            expect(9_090, 2)
            let others = Guarded<[ConfigContent?]>([])
            let hasRead = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                others.withLock { $0 = [read("port"), read("free")] }
                hasRead.signal()
            }
            hasRead.wait()
            #expect(others.value == [.int(8_080), .int(1)])
            settings.port = 9_091
            expect(9_091, 2)
        }
        expect(9_091, 2)
        try await store.close()
    }

    @Test("Keys that are the same text only for Unicode have their own values") func spellings() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let store = try await open()
        try store.keys.setValue(1, forKey: .path(composed))
        let provider = SettingsProvider(store)
        for _ in 0..<2 {
            #expect(try provider.value(forKey: AbsoluteConfigKey([composed]), type: .int).value?.content == .int(1))
            #expect(try provider.value(forKey: AbsoluteConfigKey([decomposed]), type: .int).value == nil)
        }
        try await store.close()
    }

    @Test("A value of another type is an error with the key and without the value") func wrongType() async throws {
        let store = try await open(SettingTree(["name": .string("hunter2"), "half": .real(0.5)]))
        let provider = SettingsProvider(store)
        let wrong: [(key: String, type: ConfigType)] = [("name", .int), ("name", .stringArray), ("half", .int)]
        for (key, type) in wrong {
            let error = #expect(throws: (any Error).self) {
                try provider.value(forKey: AbsoluteConfigKey([key]), type: type)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains(key))
            #expect(!text.contains("hunter2"))
            #expect(throws: (any Error).self) {
                try provider.snapshot().value(forKey: AbsoluteConfigKey([key]), type: type)
            }
        }
        try await store.close()
    }

    @Test("A base64 string is bytes only while no group declares its key") func base64() async throws {
        let chunks = SettingValue.array([.string("AQID"), .string("AP8=")])
        let store = try await open(SettingTree(["host": .string("test"), "hosts": chunks, "raw": .string("AQID")]))
        let provider = SettingsProvider(store)
        func expect(_ key: String, _ type: ConfigType, _ expected: ConfigContent) throws {
            let key = AbsoluteConfigKey([key])
            #expect(try provider.value(forKey: key, type: type).value?.content == expected)
            #expect(try provider.snapshot().value(forKey: key, type: type).value?.content == expected)
        }
        try expect("host", .bytes, .bytes([0xB5, 0xEB, 0x2D]))
        try expect("hosts", .byteChunkArray, .byteChunkArray([[1, 2, 3], [0, 255]]))
        let settings = try await store.group(ServiceSettings.self)
        #expect(settings.host == "test")
        let declared: [(key: AbsoluteConfigKey, type: ConfigType)] = [("host", .bytes), ("hosts", .byteChunkArray)]
        for (key, type) in declared {
            #expect(throws: (any Error).self) { try provider.value(forKey: key, type: type) }
            #expect(throws: (any Error).self) { try provider.snapshot().value(forKey: key, type: type) }
        }
        try expect("raw", .bytes, .bytes([1, 2, 3]))
        try await store.close()
    }

    @Test("A declared secret is marked as one, also in snapshots, and nothing else is") func secrets() async throws {
        let store = try await open()
        let provider = SettingsProvider(store)
        let settings = try await store.group(ServiceSettings.self)
        settings.token = Secret("hunter2")
        let token = ConfigValue(.string("hunter2"), isSecret: true)
        #expect(try provider.value(forKey: "token", type: .string).value == token)
        #expect(try await provider.fetchValue(forKey: "token", type: .string).value == token)
        #expect(try provider.snapshot().value(forKey: "token", type: .string).value == token)
        #expect(try provider.value(forKey: "host", type: .string).value?.isSecret == false)
        #expect(try provider.snapshot().value(forKey: "host", type: .string).value?.isSecret == false)
        try await store.close()
    }

    @Test("An entry of a dictionary is read by its name, also that of a default, and that of a secret is marked")
    func entries() async throws {
        let store = try await open()
        let provider = SettingsProvider(store)
        let settings = try await store.group(DictionarySettings.self)
        func expect(_ key: AbsoluteConfigKey, _ type: ConfigType, _ expected: ConfigValue?) throws {
            #expect(try provider.value(forKey: key, type: type).value == expected)
            #expect(try provider.snapshot().value(forKey: key, type: type).value == expected)
        }
        try expect(["limits", "read"], .int, ConfigValue(.int(3), isSecret: false))
        try expect(["limits", "write"], .int, nil)
        try expect(["login", "user"], .string, ConfigValue(.string("none"), isSecret: true))
        settings.limits = ["read": 5]
        try expect(["limits", "read"], .int, ConfigValue(.int(5), isSecret: false))
        try settings.$limits.reset()
        try expect(["limits", "read"], .int, ConfigValue(.int(3), isSecret: false))
        try await store.close()
    }

    @Test("A name with a dot, and an empty one, are looked up as they are") func names() async throws {
        let store = try await open()
        try store.keys.setValue(1, forKey: .path("a.b", "c"))
        let provider = SettingsProvider(store)
        #expect(try provider.value(forKey: ["a.b", "c"], type: .int).value?.content == .int(1))
        #expect(try provider.value(forKey: ["a", "b", "c"], type: .int).value == nil)
        #expect(try provider.value(forKey: ["a.b", ""], type: .int).value == nil)
        #expect(try provider.snapshot().value(forKey: ["a.b", ""], type: .int).value == nil)
        try await store.close()
    }

    @Test("A key that is stored as one name with dots is found in snapshots, too") func storedNames() async throws {
        let store = try await open(
            SettingTree([
                "http.port": .integer(8_443), "http": .dictionary(["port": .integer(80)]),
                "a": .dictionary(["b.c": .integer(1)]),
            ]))
        let provider = SettingsProvider(store)
        let stored: [(key: AbsoluteConfigKey, number: Int)] = [(["http", "port"], 8_443), (["a", "b", "c"], 1)]
        for (key, number) in stored {
            #expect(try provider.value(forKey: key, type: .int).value?.content == .int(number))
            #expect(try provider.snapshot().value(forKey: key, type: .int).value?.content == .int(number))
        }
        try await store.close()
    }

    @Test("A snapshot stays as it is, and never has half of a transaction") func snapshots() async throws {
        let store = try await open()
        let settings = try await store.group(ServiceSettings.self)
        let provider = SettingsProvider(store)
        let first = provider.snapshot()
        let writer = Task.detached {
            for number in 1...2_000 {
                try settings.update {
                    settings.port = number
                    settings.ports = [number]
                }
            }
        }
        while settings.port != 2_000 {
            try Task.checkCancellation()
            await Task.yield()
            let snapshot = provider.snapshot()
            guard case .int(let port)? = try snapshot.value(forKey: "port", type: .int).value?.content, port <= 2_000
            else { continue }
            #expect(try snapshot.value(forKey: "ports", type: .intArray).value?.content == .intArray([port]))
        }
        try await writer.value
        #expect(try first.value(forKey: "port", type: .int).value?.content == .int(8_080))
        try await store.close()
    }

    // MARK: Watching

    @Test("A watcher gets the current value first, newer ones in order, and always the last one") func watching()
        async throws
    {
        let store = try await open()
        let settings = try await store.group(ServiceSettings.self)
        let reader = ConfigReader(provider: SettingsProvider(store))
        try await reader.watchInt(forKey: "port", default: 0) { updates in
            var newest = 0
            for await port in updates {
                if newest == 0 {
                    #expect(port == 8_080)
                    Task.detached { for number in 10_001...12_000 { settings.port = number } }
                }
                #expect(port >= newest)
                newest = port
                if port == 12_000 { break }
            }
            #expect(newest == 12_000)
        }
        try await store.close()
    }

    @Test("A watcher ends on the current value when it changes back at once") func changingBack() async throws {
        let store = try await open(SettingTree(["count": .integer(1)]))
        let provider = SettingsProvider(store)
        let newest = Guarded<ConfigContent?>(nil)
        let watcher = Task.detached {
            try await provider.watchValue(forKey: "count", type: .int) { updates in
                for await result in updates {
                    let content = try result.get().value?.content
                    newest.withLock { $0 = content }
                }
            }
        }
        let one: ConfigContent? = .int(1)
        try await eventually("the watcher has the first value") { newest.value == one }
        for _ in 0..<100 {
            for _ in 0..<20 {
                try store.keys.setValue(2, forKey: "count")
                try store.keys.setValue(1, forKey: "count")
            }
            try await eventually("the watcher has the current value") { newest.value == one }
        }
        try await store.close()
        try await watcher.value
    }

    @Test("A watcher sees the removal of a key, and ends when the store closes") func removal() async throws {
        let store = try await open(SettingTree(["count": .integer(1)]))
        let provider = SettingsProvider(store)
        try await provider.watchValue(forKey: "count", type: .int) { updates in
            var received: [ConfigContent?] = []
            for await result in updates {
                received.append(try result.get().value?.content)
                if received.count == 1 { try store.keys.removeValue(forKey: "count") }
                if received.count == 2 { try await store.close() }
            }
            let expected: [ConfigContent?] = [.int(1), nil]
            #expect(received == expected)
        }
        #expect(try provider.value(forKey: "count", type: .int).value == nil)
    }

    @Test("A watcher of a key gets an error for a value of another type, and then the next value") func watchedType()
        async throws
    {
        let store = try await open(SettingTree(["count": .integer(1)]))
        try await SettingsProvider(store).watchValue(forKey: "count", type: .int) { updates in
            var received: [ConfigContent?] = []
            for await result in updates {
                received.append((try? result.get())?.value?.content)
                if received.count == 1 { try store.keys.setValue("text", forKey: "count") }
                if received.count == 2 { try store.keys.setValue(2, forKey: "count") }
                if received.count == 3 { break }
            }
            let expected: [ConfigContent?] = [.int(1), nil, .int(2)]
            #expect(received == expected)
        }
        try await store.close()
    }

    @Test("A watcher of snapshots gets one after a change of any key, and ends when the store closes")
    func watchingSnapshots() async throws {
        let store = try await open()
        let provider = SettingsProvider(store)
        try await provider.watchSnapshot { updates in
            let seven: ConfigContent? = .int(7)
            var received: [ConfigContent?] = []
            for await snapshot in updates {
                received.append(try snapshot.value(forKey: "undeclared", type: .int).value?.content)
                if received.count == 1 { try store.keys.setValue(7, forKey: "undeclared") }
                if received.last == .some(seven) { try await store.close() }
            }
            #expect(received.first == .some(nil))
            #expect(received.last == .some(seven))
        }
    }
}
