@testable import Settle

enum ShippedValue: Equatable, Sendable, CustomStringConvertible {
    case number(Int)
    case text(String)

    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .text(let text): "“\(text)”"
        }
    }

    init?(_ value: SettingValue) {
        switch value {
        case .integer(let number): self = .number(Int(number))
        case .string(let text): self = .text(text)
        default: return nil
        }
    }

    var stored: SettingValue {
        switch self {
        case .number(let number): .integer(Int64(number))
        case .text(let text): .string(text)
        }
    }
}

/// The naive model of a file of an app that is shipped again and again: the value of each key, however the file spells
/// the key, and the steps that were made.
struct ShippedFile: Sendable {
    struct Recorded: Sendable {
        var id: Int
        var name: String
    }

    enum Opening {
        /// With a list that knows all steps.
        case current(ShippedFile)
        /// With the list of an older version, which may not write.
        case older(step: String)
        /// The list has lost a step, or has two of one name.
        case refused(step: String)
        case failed(step: String, key: String)
    }

    var values: [String: ShippedValue] = [:]
    var recorded: [Recorded] = []

    /// What a version of the app makes of the file.
    func opened(with list: [ShippedStep]) -> Opening {
        for (index, step) in list.enumerated() where list[..<index].contains(where: { $0.name == step.name }) {
            return .refused(step: step.name)
        }
        let due = list.filter { step in !recorded.contains { $0.id == step.id } }
        let isKnown = recorded.map { record in list.contains { $0.id == record.id } }
        if let unknown = isKnown.firstIndex(of: false) {
            let isLost = isKnown[unknown...].contains(true) || !due.isEmpty
            return isLost ? .refused(step: recorded[unknown].name) : .older(step: recorded[unknown].name)
        }
        var file = self
        for step in due {
            do throws(ShippedStep.Failure) {
                try step.make(&file.values)
            } catch {
                return .failed(step: error.name, key: error.key)
            }
            file.recorded.append(Recorded(id: step.id, name: step.name))
        }
        return .current(file)
    }

    /// Whether a key is at a path or within it.
    static func isWithin(_ path: String, _ key: String) -> Bool { key == path || key.hasPrefix(path + ".") }
}

extension ShippedFile: CustomStringConvertible {
    var description: String {
        let values = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return "[\(values)] after \(recorded.map(\.name))"
    }
}

// MARK: What a file has

extension ShippedFile {
    struct Unexpected: Error, CustomStringConvertible { let description: String }

    /// The values of a tree as settings find them: of several spellings of a key, that with the longest name with dots.
    static func values(in tree: SettingTree) throws -> [String: ShippedValue] {
        try spellings(in: tree).compactMapValues { $0.min { $0.names.count < $1.names.count }?.value }
    }

    /// The keys that are spelled in several ways.
    static func ambiguousKeys(in tree: SettingTree) throws -> Set<String> {
        Set(try spellings(in: tree).filter { $0.value.count > 1 }.keys)
    }

    private static func spellings(
        in tree: SettingTree
    ) throws -> [String: [(names: [String], value: ShippedValue)]] {
        var found: [String: [(names: [String], value: ShippedValue)]] = [:]
        func search(_ entries: SettingValue.Entries, _ outer: [String]) throws {
            for (name, value) in entries where !(outer.isEmpty && name == "$settle") {
                let names = outer + [name]
                if case .dictionary(let inner) = value {
                    try search(inner, names)
                } else if let value = ShippedValue(value), !names.dropLast().contains(where: { $0.contains(".") }) {
                    found[names.joined(separator: "."), default: []].append((names, value))
                } else {
                    throw Unexpected(description: "\(names) has \(value), where no setting finds it.")
                }
            }
        }
        try search(tree.root, [])
        return found
    }

    /// The names of the steps that a tree records.
    static func names(in tree: SettingTree) throws -> [String] {
        guard let record = tree.root["$settle"] else { return [] }
        guard case .dictionary(let entries) = record, entries.keys.allSatisfy({ $0 == "migrations" }),
            case .array(let names)? = entries["migrations"]
        else { throw Unexpected(description: "The record is \(record).") }
        return try names.map { name in
            guard case .string(let text) = name else { throw Unexpected(description: "The record has \(name).") }
            return text
        }
    }
}
