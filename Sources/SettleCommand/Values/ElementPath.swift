import Settle

/// A value within an array: the key of the array, and the indexes and names from there on, as in `list.0.name`.
struct ElementPath {
    /// The key of the array.
    let key: SettingKey
    private let array: SettingValue
    private let steps: ArraySlice<String>
    /// The whole path, for messages.
    private let text: String

    enum Edit {
        case set(SettingValue)
        case insert(SettingValue)
        case remove
    }

    /// Finds the array on the way to a value. As for a whole key, an array that is stored under one name with dots comes
    /// before one in dictionaries.
    ///
    /// - Returns: `nil` if there is no array on the way.
    init?(_ path: SettingKey, in values: SettingTree) {
        guard values[path] == nil else { return nil }
        for parent in path.parents {
            for candidate in [SettingKey.path(parent.description), parent] {
                guard let value = values[candidate], case .array = value else { continue }
                (key, array, text) = (candidate, value, path.description)
                steps = path.components.dropFirst(parent.depth)
                return
            }
        }
        return nil
    }

    /// The value at the path; `nil` if there is none.
    var value: SettingValue? {
        steps.reduce(Optional(array)) { value, step in
            switch value {
            case .array(let elements)?: Self.index(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            case .dictionary(let entries)?: entries[step]
            default: nil
            }
        }
    }

    /// Returns the array after a change.
    ///
    /// - Throws: ``CommandFailure`` if the path does not lead to a value, or for a new value not to the end of an array.
    func array(after edit: Edit) throws(CommandFailure) -> SettingValue {
        try changed(array, at: steps, edit)
    }

    private func changed(
        _ value: SettingValue, at steps: ArraySlice<String>, _ edit: Edit
    ) throws(CommandFailure) -> SettingValue {
        guard let step = steps.first else { return value }
        let rest = steps.dropFirst()
        switch value {
        case .array(var elements):
            // An element can be inserted behind the last one, too.
            var end = elements.count
            if rest.isEmpty, case .insert = edit { end += 1 }
            guard let index = Self.index(step) else {
                throw CommandFailure(.usage, "“\(step)” in “\(text)” must be the index of an element, from 0.")
            }
            guard index < end else {
                throw CommandFailure(.absent, "“\(text)” does not exist: the array has \(elements.count) elements.")
            }
            switch edit {
            case _ where !rest.isEmpty: elements[index] = try changed(elements[index], at: rest, edit)
            case .set(let new): elements[index] = new
            case .insert(let new): elements.insert(new, at: index)
            case .remove: elements.remove(at: index)
            }
            return .array(elements)
        case .dictionary(var entries):
            let old = entries[step]
            switch edit {
            case .remove where old == nil: throw CommandFailure(.absent, "“\(text)” does not exist.")
            case _ where !rest.isEmpty:
                entries[step] = try changed(old ?? .dictionary([:]), at: rest, edit)
            case .set(let new): entries[step] = new
            case .insert(let new):
                guard old == nil else { throw Self.exists(text) }
                entries[step] = new
            case .remove: entries[step] = nil
            }
            return .dictionary(entries)
        default:
            throw CommandFailure(.refused, "“\(text)” leads into a value that is neither an array nor a dictionary.")
        }
    }

    static func exists(_ text: String) -> CommandFailure {
        CommandFailure(
            .refused, "“\(text)” exists. “write” replaces it; an index such as “\(text).0” inserts into an array.")
    }

    private static func index(_ step: String) -> Int? {
        step.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int(step) : nil
    }
}

extension SettingTree {
    /// Returns the value at a key, which may lead into an array.
    func value(at key: SettingKey) -> SettingValue? { self[key] ?? ElementPath(key, in: self)?.value }
}
