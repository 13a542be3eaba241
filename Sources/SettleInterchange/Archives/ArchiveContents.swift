public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of an archive as settings, with the values that could not be represented exactly.
public struct ArchiveContents: Sendable, Hashable {
    /// A value that a setting can't represent.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The path to it in the archive.
        public var path: ArchivePath
        /// The original value and its replacement, as a sentence.
        public var reason: String

        /// Creates a finding.
        public init(path: ArchivePath, reason: String) {
            self.path = path
            self.reason = reason
        }

        public var description: String { "\(path): \(reason)" }
    }

    /// The value. An object is a dictionary of its fields, without those that have no value; sets are arrays; a URL and
    /// a UUID are strings. A dictionary whose keys are not all strings or integers is an array of alternating keys and
    /// values, as in Swift's `Codable`.
    public var value: SettingValue
    /// The values that were changed or left out: cycles above all.
    public var findings: [Finding]

    /// Returns the value as settings at a key, or at the top level if the key is `nil` and the value is a dictionary.
    ///
    /// - Returns: `nil` if there is no key, and the value is not one with names.
    public func tree(at key: SettingKey? = nil) -> SettingTree? {
        var tree = SettingTree()
        if let key {
            tree[key] = value
            return tree
        }
        guard case .dictionary(let entries) = value else { return nil }
        return SettingTree(entries)
    }
}

extension KeyedArchive {
    /// Returns the values as settings: that of the root, or without a root, a dictionary of the values at the top.
    ///
    /// - Throws: ``ArchiveError`` with the path to a value that its ``ArchiveMapping/Value`` refuses.
    public func contents(_ mapping: ArchiveMapping = ArchiveMapping()) throws(ArchiveError) -> ArchiveContents {
        var converter = ArchiveConverter(mapping: mapping)
        let value: SettingValue
        if let root {
            value = try converter.value(of: root, at: Self.rootKey)
        } else {
            value = .dictionary(try converter.entries(of: top, nil))
        }
        return ArchiveContents(value: value, findings: converter.findings)
    }

    /// Reads the values into a type of your own, which need not be the class that was archived.
    ///
    /// ```swift
    /// let people = try KeyedArchive(data).decode([Person].self)
    /// ```
    ///
    /// - Throws: ``ArchiveError``, also if the values don't suit the type.
    public func decode<Value: Decodable>(
        _ type: Value.Type, _ mapping: ArchiveMapping = ArchiveMapping()
    ) throws(ArchiveError) -> Value {
        let contents = try contents(mapping)
        do {
            return try SettingValueDecoder().decode(type, from: contents.value)
        } catch {
            throw ArchiveError(.unsupportedValue, "The archive does not hold a \(type). \(error)")
        }
    }
}

/// Converts archived values to settings.
private struct ArchiveConverter {
    let mapping: ArchiveMapping
    private(set) var findings: [ArchiveContents.Finding] = []
    private var path: [String] = []

    init(mapping: ArchiveMapping) { self.mapping = mapping }

    mutating func value(of value: ArchivedValue, at step: String) throws(ArchiveError) -> SettingValue {
        path.append(step)
        defer { path.removeLast() }
        switch value {
        case .null, .bool, .integer, .real, .number, .string, .data, .date: return value.scalar ?? .null
        case .url(let text, let base): return .string(absolute(text, base))
        case .uuid(let uuid): return .string(uuid.uuidString)
        case .array(let elements), .set(let elements), .orderedSet(let elements):
            return .array(try values(of: elements))
        case .dictionary(let entries): return try dictionary(entries)
        case .object(let object):
            var entries = try self.entries(of: object.fields, mapping.classes[object.className])
            if let key = mapping.classNameKey { entries[key] = .string(object.className) }
            return .dictionary(entries)
        case .cycle(let outer):
            find("It is \(outer) again, around itself, and was left out.")
            return .null
        }
    }

    /// Returns the fields that have a value, under their new names.
    mutating func entries(
        of fields: ArchivedFields, _ mapping: ArchiveMapping.Class?
    ) throws(ArchiveError) -> SettingValue.Entries {
        var entries = SettingValue.Entries()
        for field in fields.all where mapping?.ignored.contains(field.key) != true {
            var value: SettingValue? = try value(of: field.value, at: field.key)
            if let spelling = mapping?.values[field.key], let spelled = value, spelled != .null {
                do throws(ArchiveError) {
                    value = try spelling.read(spelled)
                } catch {
                    throw ArchiveError(error.code, at: ArchivePath(path + [field.key]).description, error.reason)
                }
            }
            guard let value, value != .null else { continue }
            let name = mapping?.keys[field.key] ?? field.key
            if entries.updateValue(value, forKey: name) != nil {
                find("Two fields are called \(name); one was left out.")
            }
        }
        return entries
    }

    private mutating func values(of elements: [ArchivedValue]) throws(ArchiveError) -> [SettingValue] {
        try elements.enumerated().map { (index, element) throws(ArchiveError) in
            try value(of: element, at: "\(index)")
        }
    }

    private mutating func dictionary(_ entries: [ArchivedEntry]) throws(ArchiveError) -> SettingValue {
        let names = entries.compactMap(\.key.name)
        guard names.count == entries.count else {
            find("Its keys are not all texts or whole numbers; it is an array of keys and values in turn.")
            return .array(try values(of: entries.flatMap { [$0.key, $0.value] }))
        }
        var result = SettingValue.Entries()
        for (name, entry) in zip(names, entries) {
            if result.updateValue(try value(of: entry.value, at: name), forKey: name) != nil {
                find("The key \(name) occurs twice; the last one counts.")
            }
        }
        return .dictionary(result)
    }

    private func absolute(_ text: String, _ base: String?) -> String {
        guard let base, let outer = URL(string: base), let url = URL(string: text, relativeTo: outer) else {
            return text
        }
        return url.absoluteString
    }

    private mutating func find(_ reason: String) {
        findings.append(ArchiveContents.Finding(path: ArchivePath(path), reason: reason))
    }
}

extension ArchivedValue {
    /// The name in a dictionary for a key.
    fileprivate var name: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }
}
