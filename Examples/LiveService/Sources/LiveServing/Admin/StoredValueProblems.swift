import Settle
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stored values that can't be used, such as after a wrong edit of the file.
///
/// A store reports such a value once, on its `issues`. Whether it still stands there is checked on request.
final class StoredValueProblems: Sendable {
    private let store: SettingsStore
    /// The reported sentences by key.
    private let reported = Mutex<[String: String]>([:])

    init(of store: SettingsStore) {
        self.store = store
    }

    func report(_ issue: SettingsError) {
        guard issue.code == .unusableValue, let key = issue.key else { return }
        reported.withLock { $0[key] = issue.description }
    }

    /// The problems that still exist, by key.
    func current() async -> [String: StoredValueProblem] {
        let reported = reported.withLock { $0 }
        guard !reported.isEmpty, let stored = await storedValues() else { return [:] }
        var problems: [String: StoredValueProblem] = [:]
        for (key, sentence) in reported {
            if let value = stored.value(forKey: key[...]), isUnusable(value, forKey: key) {
                let isSecret = store.setting(forKey: key)?.isSecret ?? true
                problems[key] = StoredValueProblem(sentence: sentence, stored: isSecret ? nil : value)
            } else {
                forget(key, sentence)
            }
        }
        return problems
    }

    /// Forgets a problem, unless another one was reported for its key meanwhile.
    private func forget(_ key: String, _ sentence: String) {
        reported.withLock { if $0[key] == sentence { $0[key] = nil } }
    }

    private func storedValues() async -> SettingValue? {
        guard let data = try? await store.export(as: .json, includingSecrets: true) else { return nil }
        return try? SettingValue(json: data)
    }

    private func isUnusable(_ value: SettingValue, forKey key: String) -> Bool {
        do {
            try store.trying { try store.setValue(value, forKey: key) }
            return false
        } catch {
            return true
        }
    }
}

/// Why a stored value is not in force.
struct StoredValueProblem: Sendable, Hashable {
    /// What is wrong, and what is in force instead.
    let sentence: String
    /// The value; `nil` for a secret.
    let stored: SettingValue?

    var json: SettingValue.Entries {
        var json: SettingValue.Entries = ["sentence": .string(sentence)]
        if let stored { json["stored"] = stored }
        return json
    }
}

extension SettingValue {
    /// The value at a key. A file may spell any part of a key as one name.
    fileprivate func value(forKey key: Substring) -> SettingValue? {
        guard case .dictionary(let entries) = self else { return nil }
        if let value = entries[String(key)] { return value }
        return key.indices.lazy.filter { key[$0] == "." }.compactMap { dot in
            entries[String(key[..<dot])]?.value(forKey: key[key.index(after: dot)...])
        }.first
    }
}
