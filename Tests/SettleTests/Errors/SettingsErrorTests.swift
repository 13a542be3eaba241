import Settle
import SettleTesting
import Testing

private struct Limits: SettingsGroup {
    @Setting(in: 0...20) var count = 0
    @Setting(in: 0...20) var other = 0
    @Setting(in: 0...9) var optional: Int?
}

private struct Mistaken: SettingsGroup {
    @Setting(in: 1...5) var size: Int? = 11
    @Setting("same") var first = 1
    @Setting("same") var second = 2
    @Setting(in: 1...5) var width = 0
}

@Suite(.timeLimit(.minutes(10))) struct SettingsErrorTests {
    @Test("Errors of set, modify, update and reset need no cast") func errorsSetModify() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Limits.self)
        // Compiles only if the calls throw typed errors.
        func key(_ body: () throws(SettingsError) -> Void) -> String? {
            do throws(SettingsError) {
                try body()
                return nil
            } catch {
                return error.key
            }
        }
        #expect(key { () throws(SettingsError) in try settings.$count.set(21) } == "count")
        #expect(key { () throws(SettingsError) in try settings.$count.modify { $0 -= 1 } } == "count")
        #expect(key { () throws(SettingsError) in try settings.update { settings.other = -1 } } == "other")
        #expect(key { () throws(SettingsError) in try settings.update { $0.other = -1 } } == "other")
        #expect(key { () throws(SettingsError) in try store.update { settings.other = -1 } } == "other")
        #expect(key { () throws(SettingsError) in try settings.$count.reset() } == nil)
        #expect(key { () throws(SettingsError) in try settings.reset() } == nil)
        #expect(key { () throws(SettingsError) in try store.reset() } == nil)
        struct Stop: Error {}
        #expect(throws: Stop.self) { try settings.update { throw Stop() } }
        #expect(throws: Stop.self) { try settings.$count.modify { _ in throw Stop() } }
        let result = try settings.update { settings -> Int in settings.count + 5 }
        #expect(result == 5)
    }

    @Test("An update tells every refused write") func updateTellsEvery() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Limits.self)
        for isCommit in [false, true] {
            let write = {
                settings.count = 21
                settings.optional = 11
                settings.other = 5
            }
            let error = await #expect(throws: SettingsError.self) {
                if isCommit { try await settings.commit(write) } else { try settings.update(write) }
            }
            #expect(error?.code == .invalidValue && error?.key == "count" && error?.value as? Int == 21)
            #expect(error?.problems.map(\.key) == ["count", "optional"])
            #expect(
                error?.description
                    == "2 writes were refused, so nothing is written. “count” can't be 21: it must be in "
                    + "0...20. “optional” can't be 11: it must be in 0...9.")
        }
        #expect(settings.other == 0 && store.revision == 0)
        let single = #expect(throws: SettingsError.self) { try settings.update { settings.count = 21 } }
        #expect(single?.problems.isEmpty == true)
        #expect(single?.description == "“count” can't be 21: it must be in 0...20. The old value stays.")
    }

    @Test("A loop of refused writes gives an error that ends") func loopRefusedWrites() {
        let settings = Limits()
        let error = #expect(throws: SettingsError.self) {
            try settings.update { for value in 0..<100_000 { settings.count = -1 - value } }
        }
        #expect(error?.problems.count == 100 && error?.description.hasSuffix("And 99900 more.") == true)
    }

    @Test("A group tells all of its mistakes, and no old value that stays") func groupTellsAll() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let error = await #expect(throws: SettingsError.self) { try await store.group(Mistaken.self, at: "a") }
        #expect(error?.problems.map(\.code) == [.invalidValue, .duplicateKey, .invalidValue])
        #expect(error?.problems.map(\.key) == ["a.size", "a.same", "a.width"])
        let text = try #require(error?.description)
        #expect(text.hasPrefix("Mistaken has 3 declarations that can't be used. "))
        #expect(
            text.contains("The default of Mistaken.size can't be 11: it must be in 1...5. Give the setting another"))
        #expect(text.contains("The default of Mistaken.width can't be 0: it must be in 1...5."))
        #expect(!text.contains("Optional(") && !text.contains("stays"))
    }

    @Test("A group tells every key that another one has") func groupTellsEvery() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        _ = try await store.group(Limits.self)
        let error = await #expect(throws: SettingsError.self) { try await store.group(CounterSettings.self) }
        #expect(error?.problems.map(\.code) == [.duplicateKey, .duplicateKey])
        #expect(error?.problems.map(\.key) == ["count", "other"])
    }
}
