import Settle

/// Settle: a setting of a store that saves to a file.
struct SettingBroadcast: Broadcast {
    let fixture: SavingStore

    init() async throws {
        fixture = try await SavingStore()
    }

    func publish(_ value: Int) {
        fixture.settings.count = value
    }

    func listen(_ receive: @escaping @Sendable (Int) -> Void) async {
        for await value in fixture.settings.$count { receive(value) }
    }
}
