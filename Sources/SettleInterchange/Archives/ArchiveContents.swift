public import Settle

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
    /// values, as in Swift's `Codable`. A shared object is repeated at each reference.
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
    /// An object in which there is a reference to it is a finding there, and is left out.
    ///
    /// - Throws: ``ArchiveError`` with the path to a value that its ``ArchiveMapping/Value`` refuses. Settings share no
    ///   objects, so an archive that repeats too many of them is refused: those with more than some 260,000 repeated
    ///   values, or that would have more than 256 MiB of text, data and findings, or more than 128 levels.
    public func contents(_ mapping: ArchiveMapping = ArchiveMapping()) throws(ArchiveError) -> ArchiveContents {
        var converter = ArchiveConverter(self, mapping)
        let value: SettingValue
        if let root = top[Self.rootKey] {
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
