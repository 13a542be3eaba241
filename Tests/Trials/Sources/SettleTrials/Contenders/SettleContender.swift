import Foundation
import Settle
import TrialChecks

/// Settle as an app uses it.
struct SettleContender: Contender {
    let store: SettingsStore
    let settings: TrialSettings
    private let numbers: [String: SettingReference<Int>]
    private let texts: [String: SettingReference<String>]

    init(folder: URL) async throws {
        try await self.init(folder: folder, format: nil)
    }

    init(
        folder: URL, format: FileFormat? = nil, configuration: SettingsStore.Configuration = .init()
    ) async throws {
        let file = folder.appending(path: ContenderKind.settle.fileName)
        let secrets = folder.appending(path: SecretSearch.folderName)
        store = try await SettingsStore.open(
            at: file, format: format, searching: [.secretStore(in: secrets), .application],
            configuration: configuration)
        settings = try await store.group(TrialSettings.self)
        numbers = settings.numbers.merging(try await store.group(TrialState.self).numbers) { $1 }
        texts = settings.texts
    }

    func number(_ key: String) throws -> Int {
        if let declared = numbers[key] { return declared.value }
        return try store.keys.value(forKey: key) ?? 0
    }

    func text(_ key: String) throws -> String {
        try texts[key]?.value ?? store.keys.value(forKey: key) ?? ""
    }

    func write(_ numbers: [String: Int]) throws {
        // An app writes a single setting without `update`, which takes a different path.
        if numbers.count == 1 { return try set(numbers) }
        try store.update { try set(numbers) }
    }

    func commit(_ numbers: [String: Int], texts: [String: String]) async throws {
        try await store.commit {
            try set(numbers)
            for (key, text) in texts { try self.texts[key]?.set(text) }
        }
    }

    func increment(_ key: String, with numbers: [String: Int]) async throws {
        try await store.commit {
            try set([key: number(key) + 1])
            try set(numbers)
        }
    }

    /// Replaces the secret, and returns once the new one is on disk.
    func keepSecret(_ number: Int) async throws {
        try await store.domains[.secretStore].update { [settings] in
            settings.token = Secret(SecretSearch.secret(number))
        }
    }

    /// The number of the secret, or 0 if there is none; `nil` if it is none of those that were written.
    var secretNumber: Int? {
        guard let token = settings.token else { return 0 }
        return SecretSearch.number(in: token.revealed)
    }

    func flush() async throws {
        try await store.flush()
    }

    func close() async throws -> [String] {
        try await store.close()
        // The stream starts with the issues so far, and ends at once because the store is closed.
        var issues: [String] = []
        for await issue in store.issues { issues.append(issue.description) }
        return issues
    }

    private func set(_ values: [String: Int]) throws {
        for (key, value) in values {
            if let declared = numbers[key] {
                try declared.set(value)
            } else {
                try store.keys.setValue(value, forKey: key)
            }
        }
    }
}
