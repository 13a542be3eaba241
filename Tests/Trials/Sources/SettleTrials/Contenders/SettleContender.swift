import Foundation
import Settle

/// Settle as an app uses it.
struct SettleContender: Contender {
    let store: SettingsStore
    let settings: TrialSettings
    /// The secret setting.
    let secret: ChildSecret
    private let numbers: [String: SettingReference<Int>]
    private let texts: [String: SettingReference<String>]

    init(_ place: ChildPlace, configuration: SettingsStore.Configuration = .init()) async throws {
        store = try await SettingsStore.open(
            at: URL(filePath: place.file), format: place.format?.format, searching: place.searching,
            configuration: configuration)
        secret = try await ChildSecret(in: store)
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

    func flush() async throws {
        try await store.flush()
    }

    func writeSecret(_ number: Int) async throws {
        try await secret.write(number)
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
