@testable import Settle

struct HistoryGroup: SettingsGroup {
    @Setting(in: 0...9) var count: Int64 = 1
    @Setting var name = "default"
    @Setting var list: [Int64] = []
    @Setting var fence: Int64 = 0
    let inner = HistoryInner()
}

struct HistoryInner: SettingsGroup {
    @Setting var level = 0.5
}

struct HistoryLateGroup: SettingsGroup {
    @Setting(in: 0...9) var size: Int64 = 2
}

struct HistoryOwnedGroup: SettingsGroup {
    static let access = SettingsAccess.owner
    @Setting var attempts: Int64 = 0
}

/// A setting of a random history without its type.
struct HistorySetting {
    let value: () -> SettingValue
    let stored: () -> SettingValue?
    let domain: () -> DomainName
    let isCovered: () -> Bool
    let isLocked: () -> Bool
    let assign: (SettingValue) -> Void
    let change: () -> Void
    let reset: () throws -> Void
    let override: (SettingsStore, SettingValue) throws -> SettingOverride

    init<Value: HistoryValue>(
        _ setting: SettingReference<Value>, assign: @escaping (Value) -> Void, change: @escaping () -> Void
    ) {
        value = { setting.value.historyValue }
        stored = { setting.domains.stored?.historyValue }
        domain = { setting.domains.current }
        isCovered = { setting.domains.isCovered }
        isLocked = { setting.domains.isLocked }
        self.assign = { assign(Value($0)) }
        self.change = change
        reset = { try setting.reset() }
        override = { try $0.domains.override(setting, with: Value($1)) }
    }

    static func all(
        _ group: HistoryGroup, _ owned: HistoryOwnedGroup, _ late: HistoryLateGroup?
    ) -> [HistoryKey: HistorySetting] {
        var all: [HistoryKey: HistorySetting] = [
            .count: HistorySetting(group.$count, assign: { group.count = $0 }, change: { group.count += 1 }),
            .name: HistorySetting(group.$name, assign: { group.name = $0 }, change: { group.name += "+" }),
            .list: HistorySetting(group.$list, assign: { group.list = $0 }, change: { group.list.append(7) }),
            .fence: HistorySetting(group.$fence, assign: { group.fence = $0 }, change: { group.fence += 1 }),
            .level: HistorySetting(
                group.inner.$level, assign: { group.inner.level = $0 }, change: { group.inner.level *= 2 }),
            .attempts: HistorySetting(
                owned.$attempts, assign: { owned.attempts = $0 }, change: { owned.attempts += 1 }),
        ]
        if let late {
            all[.size] = HistorySetting(late.$size, assign: { late.size = $0 }, change: { late.size += 1 })
        }
        return all
    }
}

/// A type of settings in random histories.
protocol HistoryValue: Codable, Sendable, Equatable {
    init(_ value: SettingValue)
    var historyValue: SettingValue { get }
}

extension Int64: HistoryValue {
    init(_ value: SettingValue) {
        self = if case .integer(let number) = value { number } else { -1 }
    }
    var historyValue: SettingValue { .integer(self) }
}

extension String: HistoryValue {
    init(_ value: SettingValue) {
        self = if case .string(let text) = value { text } else { "" }
    }
    var historyValue: SettingValue { .string(self) }
}

extension Double: HistoryValue {
    init(_ value: SettingValue) {
        self = if case .real(let number) = value { number } else { -1 }
    }
    var historyValue: SettingValue { .real(self) }
}

extension [Int64]: HistoryValue {
    init(_ value: SettingValue) {
        self = if case .array(let values) = value { values.map { Int64($0) } } else { [] }
    }
    var historyValue: SettingValue { .array(map(\.historyValue)) }
}
