import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts archived values to settings, which share nothing.
///
/// A shared object is converted once and its value repeated, unless there is something to find in it: that is found at
/// each path. Since settings are read and written as a tree, what is repeated is bounded.
struct ArchiveConverter {
    private let mapping: ArchiveMapping
    private let sharedObjects: [ArchivedValue]
    private(set) var findings: [ArchiveContents.Finding] = []
    private var path: [String] = []
    /// The shared objects around the current value, and the path to each.
    private var open: [Int: ArchivePath] = [:]
    private var known: [Int: Known] = [:]
    /// The shared objects that have been converted once.
    private var converted: Set<Int> = []
    /// The number of shared objects around the current value that have been converted before.
    private var repetitions = 0
    /// The number of values, and the bytes of text and data, as if everything were written out.
    private var total = Size()
    /// The deepest level at which the object being converted has an object or a collection.
    private var depth = 0
    /// The number of further bytes for texts, data, repeated values and findings.
    private var left = 256 << 20

    private struct Size {
        var values = 0
        var bytes = 0
    }

    /// The value of a shared object in which nothing was found.
    private struct Known {
        let value: SettingValue
        let size: Size
        let levels: Int
    }

    /// The bytes that a repeated value counts as, and a step in a path.
    private static let valueSize = 1_024
    private static let stepSize = 256

    init(_ archive: KeyedArchive, _ mapping: ArchiveMapping) {
        self.mapping = mapping
        sharedObjects = archive.sharedObjects
    }

    mutating func value(of value: ArchivedValue, at step: String) throws(ArchiveError) -> SettingValue {
        path.append(step)
        defer { path.removeLast() }
        if case .reference(let index) = value { return try shared(index) }
        return try content(of: value)
    }

    private mutating func content(of value: ArchivedValue) throws(ArchiveError) -> SettingValue {
        total.values += 1
        total.bytes += value.size
        try spend((repetitions > 0 ? Self.valueSize : 0) + value.size)
        if value.isContainer { try descend(1) }
        switch value {
        case .null, .bool, .integer, .real, .number, .string, .data, .date: return value.scalar ?? .null
        case .url(let text, let base): return .string(absolute(text, base))
        case .uuid(let uuid): return .string(uuid.uuidString)
        case .array(let elements, _), .set(let elements, _), .orderedSet(let elements, _):
            return .array(try values(of: elements))
        case .dictionary(let entries, _): return try dictionary(entries)
        case .object(let object):
            guard !object.isNull else { return .null }
            var entries = try self.entries(of: object.fields, mapping.classes[object.className])
            if let key = mapping.classNameKey { entries[key] = .string(object.className) }
            return .dictionary(entries)
        case .reference: throw failure(.damaged, "A shared object is only a reference.")
        }
    }

    // MARK: Shared objects

    private mutating func shared(_ index: Int) throws(ArchiveError) -> SettingValue {
        guard sharedObjects.indices.contains(index) else {
            throw failure(
                .damaged, "It refers to shared object \(index), and the archive has \(sharedObjects.count).")
        }
        if let outer = open[index] {
            try find("It is \(outer), which contains itself, and was left out.", quoting: outer.steps)
            return .null
        }
        if let known = known[index] {
            try descend(known.levels)
            try spend(known.size.values * Self.valueSize + known.size.bytes)
            total.values += known.size.values
            total.bytes += known.size.bytes
            return known.value
        }
        let isRepeated = !converted.insert(index).inserted
        if isRepeated { repetitions += 1 }
        open[index] = ArchivePath(path)
        defer {
            if isRepeated { repetitions -= 1 }
            open[index] = nil
        }
        let (before, count, outer) = (total, findings.count, depth)
        depth = path.count - 1
        let value = try content(of: sharedObjects[index])
        if findings.count == count {
            let size = Size(values: total.values - before.values, bytes: total.bytes - before.bytes)
            known[index] = Known(value: value, size: size, levels: depth - path.count + 1)
        }
        depth = max(depth, outer)
        return value
    }

    /// Records that the current value has levels.
    private mutating func descend(_ levels: Int) throws(ArchiveError) {
        depth = max(depth, path.count - 1 + levels)
        guard depth <= SettingValue.depthLimit else { throw failure(.limit, SettingValue.depthReason) }
    }

    private mutating func spend(_ bytes: Int) throws(ArchiveError) {
        left -= bytes
        guard left >= 0 else {
            throw failure(
                .limit, "Settings share no objects: those to which the archive refers often would be too many values.")
        }
    }

    // MARK: Entries

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
                try find("Two fields are called \(name); one was left out.", quoting: [name])
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
        let names = entries.compactMap { name($0.key) }
        guard names.count == entries.count else {
            try find("Its keys are not all texts or whole numbers; it is an array of alternating keys and values.")
            return .array(try values(of: entries.flatMap { [$0.key, $0.value] }))
        }
        var result = SettingValue.Entries()
        for (name, entry) in zip(names, entries) {
            if result.updateValue(try value(of: entry.value, at: name), forKey: name) != nil {
                try find("The key \(name) occurs twice; the last one counts.", quoting: [name])
            }
        }
        return .dictionary(result)
    }

    /// Returns the name in a dictionary for a key.
    private func name(_ key: ArchivedValue) -> String? {
        switch key {
        case .string(let text, _): text
        case .integer(let number): "\(number)"
        case .reference(let index):
            if sharedObjects.indices.contains(index), case .string(let text, _) = sharedObjects[index] {
                text
            } else {
                nil
            }
        default: nil
        }
    }

    private func absolute(_ text: String, _ base: String?) -> String {
        guard let base, let outer = URL(string: base), let url = URL(string: text, relativeTo: outer) else {
            return text
        }
        return url.absoluteString
    }

    /// Records a finding.
    ///
    /// - Parameters:
    ///   - reason: Made only once there is room for it: names have no limit, and each finding repeats some.
    ///   - steps: The names in the reason.
    private mutating func find(
        _ reason: @autoclosure () -> String, quoting steps: [String] = []
    ) throws(ArchiveError) {
        try spend((path + steps).reduce(0) { $0 + Self.stepSize + $1.utf8.count })
        findings.append(ArchiveContents.Finding(path: ArchivePath(path), reason: reason()))
    }

    private func failure(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        ArchiveError(code, at: ArchivePath(path).description, reason)
    }
}
