import Settle
import SettleTesting
import Testing

/// A value that can't be encoded is not saved, and never reported as saved.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct UnencodableValueTests {
    private let noSpace = StorageError(.noSpace, "There is no room.")

    @Test("flushAndWait throws while a value can't be encoded")
    func flushAndWait() async throws {
        let (store, _, _, _) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(PickySettings.self)
        settings.picky = 13
        for _ in 0..<3 {
            let error = #expect(throws: SettingsError.self) { try store.flushAndWait() }
            #expect(error?.code == .encodingFailed)
        }
        settings.picky = 14
        try store.flushAndWait()
        #expect("\(store.status)" == "saved")
    }

    @Test("flushAndWait called by an encoder throws, because it would wait for itself")
    func flushInEncoder() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(FlushingSettings.self)
        for _ in 0..<3 {
            settings.value = Flushing(store: store)
            try store.flushAndWait()
        }
        #expect(settings.value.attempts == 3)
        #expect(settings.value.codes == ["flushInsideWrite"])
    }

    @Test("A store with an unencodable value does not close, even if no checkpoint succeeds")
    func closing() async throws {
        let (store, _, failing, recording) = try await SettingsStore.openWithManualClock()
        let settings = try await store.group(PickySettings.self)
        failing.fail(.checkpoint, with: noSpace)
        settings.picky = 13
        settings.plain = 1
        let error = await #expect(throws: SettingsError.self) { try await store.close() }
        #expect(error?.code == .encodingFailed && error?.key == "picky")
        settings.picky = 14
        try await store.close()
        #expect(recording.batches.last?.values == ["picky": .integer(14)])
    }

    @Test("An unencodable value stays in force when an earlier value of its setting is saved")
    func earlier() async throws {
        let base = InMemoryStorage()
        let failing = FailingStorage(base)
        let store = try await SettingsStore.open(storage: failing, configuration: .init(clock: ManualClock()))
        let settings = try await store.group(PickySettings.self)
        failing.fail(.append, with: noSpace)
        settings.picky = 5
        await #expect(throws: SettingsError.self) { try await store.flush() }
        settings.picky = 13
        failing.heal()
        await #expect(throws: SettingsError.self) { try await store.flush() }
        #expect(base.tree["picky"] == .integer(5))
        let recorder = ChangeRecorder(store.changes)
        base.simulateExternalChange(["picky": .integer(7), "plain": .integer(7)])
        await recorder.until { !$0.isEmpty }
        #expect(settings.picky == 13 && settings.plain == 7)
        settings.picky = 14
        try await store.flush()
        #expect(base.tree["picky"] == .integer(14))
    }
}

/// A value that flushes its store while it is encoded.
private struct Flushing: Sendable {
    private static let found = LockedValue<[String]>([])
    var store: SettingsStore?

    var attempts: Int { Self.found.withLock { $0.count } }
    var codes: Set<String> { Self.found.withLock { Set($0) } }

    func encode() -> SettingValue {
        let code = (thrown { try store?.flushAndWait() } as? SettingsError)?.code.description
        Self.found.withLock { $0.append(code ?? "nothing thrown") }
        return .null
    }
}

private struct FlushingSettings: SettingsGroup {
    @Setting(codec: SettingCodec(encode: { $0.encode() }, decode: { _ in Flushing() }))
    var value = Flushing()
}
