import Settle
import SettleTesting

/// A domain whose values a test sets.
final class TestDomain: DomainSource {
    private struct State: Sendable {
        var contents = DomainContents()
        var error: StorageError?
        var changed: (@Sendable () -> Void)?
    }

    private let state = LockedValue(State())

    init(_ values: [String: Any] = [:]) {
        set(values)
    }

    func set(_ values: [String: Any]) {
        change { $0.contents = DomainContents(plainTree(values)) }
    }

    func fail(_ error: StorageError) {
        change { $0.error = error }
    }

    private func change(_ body: (inout State) -> Void) {
        let changed = state.withLock { state in
            state.error = nil
            body(&state)
            return state.changed
        }
        changed?()
    }

    func load() throws(StorageError) -> DomainContents {
        try state.withLock { (state) throws(StorageError) in
            if let error = state.error { throw error }
            return state.contents
        }
    }

    func watch(_ changed: @escaping @Sendable () -> Void) {
        state.withLock { $0.changed = changed }
    }

    func place(of key: SettingKey) -> String { "the test's \(key)" }
}

struct LayeredGroup: SettingsGroup {
    @Setting(in: 0...100) var count = 1
    @Setting var name = "default"
    @Setting var isOn = false
    @Setting var list: [Int] = []
    @Setting var token = Secret("none")
    let inner = InnerLayeredGroup()
}

struct InnerLayeredGroup: SettingsGroup {
    @Setting var level = 0.5
}

struct OwnedLayeredGroup: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts = 0
}

/// A tree of plain Swift values.
func plainTree(_ values: [String: Any]) -> SettingTree {
    SettingTree(SettingValue.Entries(uniqueKeysWithValues: values.map { ($0, plainValue($1)) }))
}

func plainValue(_ value: Any) -> SettingValue {
    switch value {
    case let value as SettingValue: value
    case let value as Bool: .bool(value)
    case let value as Int: .integer(Int64(value))
    case let value as Double: .real(value)
    case let value as [Any]: .array(value.map(plainValue))
    case let value as [String: Any]: .dictionary(plainTree(value).root)
    default: .string("\(value)")
    }
}
