import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Updates of a domain in a file at the same time.
@Suite(.timeLimit(.minutes(10))) struct UpdatedFileTests {
    @Test("Of updates at the same time, the newest values end in force") func newestValues() async throws {
        let file = try TemporaryFolder()
        let store = try await SettingsStore.open(
            storage: InMemoryStorage(),
            searching: [.application, .global(at: file.url.appending(path: "global.json"))])
        let settings = try await store.group(LayeredGroup.self)
        // Without a follower, which would load the file again.
        await store.core.domains.end()
        for round in 1...100 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...3 {
                    group.addTask { try await store.domains[.global].update { settings.inner.level += 1 } }
                }
                try await group.waitForAll()
            }
            #expect(settings.inner.level == 0.5 + Double(3 * round))
        }
        try await store.domains[.global].replace(with: SettingTree())
        #expect(settings.inner.level == 0.5)
        try await store.close()
    }
}
