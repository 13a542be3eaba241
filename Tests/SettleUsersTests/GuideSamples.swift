import Settle
import SettleUsers

// The sample of the library's page. Nothing calls it: `UserStoreTests` has what it does.

private func openAlicesSettings() async throws -> SettingsStore {
    let store = try await SettingsStore.open("com.example.app", user: "alice", searching: .standard)
    return store
}
