import SettleTesting

@testable import Settle

/// A search list as one would write it on a page: of each key, the first layer that has a usable value wins.
struct NaiveSearchList {
    struct Layer {
        let name: DomainName
        var locksKeys = false
        var isAbove = false
        var values: [HistoryKey: SettingValue] = [:]
    }

    struct Answer: Hashable {
        var value: SettingValue
        var domain = DomainName.declaration
        var isCovered = false
    }

    /// Highest first, with the application's.
    var layers: [Layer]

    subscript(name: DomainName) -> [HistoryKey: SettingValue] {
        get { layers.first { $0.name == name }?.values ?? [:] }
        set {
            for index in layers.indices where layers[index].name == name { layers[index].values = newValue }
        }
    }

    /// - Parameter before: The answer so far, for a locked value that can't be used.
    func answer(_ key: HistoryKey, before: Answer?) -> Answer {
        for layer in layers where !key.isOwned || layer.name == .application {
            guard let value = layer.values[key] else { continue }
            let answer = Answer(value: value, domain: layer.name, isCovered: layer.isAbove)
            if key.accepts(value) { return answer }
            guard layer.locksKeys else { continue }
            if let before, before.domain == layer.name { return before }
            return Answer(value: key.standard, domain: layer.name, isCovered: layer.isAbove)
        }
        return Answer(value: key.standard)
    }

    /// What the application's domain and those below it give.
    func ownAndBelow(_ key: HistoryKey) -> SettingValue {
        NaiveSearchList(layers: layers.filter { !$0.isAbove }).answer(key, before: nil).value
    }

    func isLocked(_ key: HistoryKey) -> Bool {
        !key.isOwned && layers.contains { $0.locksKeys && $0.values[key] != nil }
    }

    /// Whether another domain has a value, usable or not.
    func isLayered(_ key: HistoryKey) -> Bool {
        !key.isOwned && layers.contains { $0.name != .application && $0.values[key] != nil }
    }

    /// What an undeclared key gives: the first value, whatever it is.
    func first(_ key: HistoryKey) -> SettingValue? { layers.lazy.compactMap { $0.values[key] }.first }
}

/// The settings of a random history.
enum HistoryKey: String, CaseIterable, Comparable {
    case count, name, list
    case fence
    case level = "inner.level"
    case size = "late.size"
    case attempts = "lock.attempts"

    static func < (one: HistoryKey, other: HistoryKey) -> Bool { one.rawValue < other.rawValue }

    /// Those that other domains may have.
    static let layered: [HistoryKey] = [.count, .name, .list, .level, .size, .attempts]

    var key: SettingKey { SettingKey(stored: rawValue) }
    var isOwned: Bool { self == .attempts }

    var standard: SettingValue {
        switch self {
        case .count: .integer(1)
        case .size: .integer(2)
        case .name: .string("default")
        case .list: .array([])
        case .level: .real(0.5)
        case .fence, .attempts: .integer(0)
        }
    }

    func accepts(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (.count, .integer(let number)), (.size, .integer(let number)): (0...9).contains(number)
        case (.name, .string), (.level, .real), (.fence, .integer), (.attempts, .integer): true
        case (.list, .array(let values)): values.allSatisfy { if case .integer = $0 { true } else { false } }
        default: false
        }
    }

    /// A value that it accepts.
    func good(_ random: inout SeededGenerator) -> SettingValue {
        switch self {
        case .count, .size, .fence, .attempts: .integer(.random(in: 0...3, using: &random))
        case .name: .string(["default", "a", "b"].randomElement(using: &random) ?? "")
        case .level: .real([0.5, 1, 0.25].randomElement(using: &random) ?? 0)
        case .list: .array([[], [.integer(1)], [.integer(1), .integer(2)]].randomElement(using: &random) ?? [])
        }
    }

    /// A value of the wrong type, or against the rule.
    func bad(_ random: inout SeededGenerator) -> SettingValue {
        let breaking: SettingValue = self == .count || self == .size ? .integer(10) : .dictionary(["x": .integer(1)])
        return Bool.random(using: &random) ? breaking : .bool(true)
    }

    func any(_ random: inout SeededGenerator) -> SettingValue {
        Int.random(in: 0..<4, using: &random) == 0 ? bad(&random) : good(&random)
    }

    /// The value that a change in place makes of another one.
    func changed(_ value: SettingValue) -> SettingValue {
        switch value {
        case .integer(let number): .integer(number + 1)
        case .string(let text): .string(text + "+")
        case .real(let number): .real(number * 2)
        case .array(let values): .array(values + [.integer(7)])
        default: value
        }
    }
}

extension [HistoryKey: SettingValue] {
    var tree: SettingTree { reduce(into: SettingTree()) { $0[$1.key.key] = $1.value } }
}

extension TestDomain {
    convenience init(_ tree: SettingTree) {
        self.init(tree.root.reduce(into: [String: Any]()) { $0[$1.key] = $1.value })
    }
}
