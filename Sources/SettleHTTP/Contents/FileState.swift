import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The state of a store's file: whether it has all changes, and whether it can be read and written.
struct FileState: Sendable {
    private let status: SettingsStore.Status
    private let outcome: StorageContents.Outcome
    /// Whether errors are shown, which name the file.
    private let showsErrors: Bool

    init(of store: SettingsStore, showsErrors: Bool = true) {
        (status, outcome, self.showsErrors) = (store.status, store.file.loadOutcome, showsErrors)
    }

    /// The state in one word.
    var name: String {
        switch status {
        case .saved: "saved"
        case .fileBehind: "behind"
        case .pending: "pending"
        case .saving: "saving"
        case .failing: "failing"
        }
    }

    static let names = ["saved", "behind", "pending", "saving", "failing"]

    /// Why changes can't be saved; `nil` if they can.
    var failure: String? {
        guard case .failing(let since, let error, _) = status else { return nil }
        return "Settings can't be saved since \(since.ISO8601Format())" + (showsErrors ? ": \(error)" : ".")
    }

    /// The problem with the file although changes are saved, such as an edit that can't be parsed; `nil` for none.
    var warning: String? {
        guard case .fileBehind(let since, let error) = status else { return nil }
        return "The file is not up to date since \(since.ISO8601Format()): \(error)"
    }

    /// The age of the oldest change that is not on stable storage, in seconds.
    func age(at now: Date) -> Double { status.age(at: now) / .seconds(1) }

    var json: SettingValue {
        var json: SettingValue.Entries = ["state": .string(name)]
        guard showsErrors else { return .dictionary(json) }
        if let problem = failure ?? warning { json["problem"] = .string(problem) }
        switch outcome {
        case .absent, .intact: break
        case .recovered(let description, _), .removed(let description): json["opened"] = .string(description)
        }
        return .dictionary(json)
    }

    static let schema = Schema.object(
        ["state": .oneOf(names)], optional: ["problem": .string, "opened": .string])
}
