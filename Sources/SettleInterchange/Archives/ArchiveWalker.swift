import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Follows the references of a keyed archive from its top, and builds values from the objects.
///
/// Trusts nothing in the archive. An object with several references to it appears at each of them, so a small archive
/// may represent an endless tree: an object within itself is named and not followed, and the values are counted.
struct ArchiveWalker {
    let table: ArchiveTable
    /// The path to the value being read.
    private(set) var path: [String] = []
    /// The objects being read, and the path to each.
    private var open: [Int: ArchivePath] = [:]
    /// The objects that have been read and contain no cycle. Their values are shared by all references to them.
    private var known: [Int: (value: ArchivedValue, cost: Cost, height: Int)] = [:]
    /// The classes by the numbers of their descriptions. All objects of a class share its names, which may be long.
    private var classes: [Int: ArchiveTable.Class] = [:]
    /// The maximum number of superclasses. No program comes near it.
    private static let superclassLimit = 128
    private var cycleCount = 0
    private var left: Cost
    /// The deepest level at which the object being read has an object or a collection.
    private var depth = 0

    /// The number of values, and the bytes of text and data.
    private struct Cost {
        var values: Int
        var bytes: Int
    }

    init(_ table: ArchiveTable, size: Int) {
        self.table = table
        left = Cost(values: 4 * table.objects.count + 100_000, bytes: 4 * size + 16 << 20)
    }

    /// Reads everything at the top.
    mutating func readTop() throws(ArchiveError) -> ArchivedFields {
        try fields(of: table.top)
    }

    // MARK: Objects

    private mutating func object(_ number: Int) throws(ArchiveError) -> ArchivedValue {
        guard table.objects.indices.contains(number) else {
            throw damaged("It refers to object \(number), and the archive has \(table.objects.count).")
        }
        // The first object is $null.
        guard number > 0 else { return .null }
        if let outer = open[number] {
            cycleCount += 1
            return .cycle(outer)
        }
        if let (value, cost, height) = known[number] {
            try descend(height)
            try spend(cost.values, cost.bytes)
            return value
        }
        let (before, cycles, outer) = (left, cycleCount, depth)
        open[number] = ArchivePath(path)
        defer { open[number] = nil }
        depth = path.count - 1
        let value = try contents(of: table.objects[number])
        if cycleCount == cycles {
            let cost = Cost(values: before.values - left.values, bytes: before.bytes - left.bytes)
            known[number] = (value, cost, depth - path.count + 1)
        }
        depth = max(depth, outer)
        return value
    }

    private mutating func contents(of object: SettingValue) throws(ArchiveError) -> ArchivedValue {
        guard case .dictionary(let entries) = object, let reference = entries["$class"] else {
            return try plain(object)
        }
        guard case .reference(let number) = ArchiveTable.part(reference) else {
            throw damaged("Its class is not described.")
        }
        let type = try describedClass(number)
        try descend()
        try spend(1, 0)
        // A program's class may derive from one of Foundation's. Its additional fields must not be lost.
        if let kind = type.kind, FoundationClass(named: type.name) != nil || entries.areFoundations,
            let value = try value(of: kind, entries)
        {
            return value
        }
        return .object(
            ArchivedObject(className: type.name, superclasses: type.superclasses, fields: try fields(of: entries)))
    }

    private mutating func describedClass(_ number: Int) throws(ArchiveError) -> ArchiveTable.Class {
        if let known = classes[number] { return known }
        guard let found = table.describedClass(number) else { throw damaged("Its class is not described.") }
        guard found.superclasses.count <= Self.superclassLimit else {
            throw failure(.limit, "Its class derives from more than \(Self.superclassLimit) others.")
        }
        try spend(found.superclasses.count, found.superclasses.reduce(found.name.utf8.count) { $0 + $1.utf8.count })
        classes[number] = found
        return found
    }

    mutating func fields(of entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedFields {
        var fields: [ArchivedFields.Field] = []
        for (key, value) in entries {
            guard let name = ArchiveTable.programKey(key) else { continue }
            let isReference = if case .reference = ArchiveTable.part(value) { true } else { false }
            fields.append(
                ArchivedFields.Field(key: name, value: try part(value, at: name), isPrimitive: !isReference))
        }
        // A value encoded without a key may have the name of one that a program has encoded under a key.
        guard Set(fields.map { Name($0.key) }).count == fields.count else { throw damaged("It has a key twice.") }
        return ArchivedFields(unique: fields)
    }

    // MARK: Parts

    /// Returns the value of an object's entry.
    mutating func part(_ value: SettingValue, at step: String) throws(ArchiveError) -> ArchivedValue {
        path.append(step)
        defer { path.removeLast() }
        switch ArchiveTable.part(value) {
        case .reference(let number): return try object(number)
        case .value(let value): return try plain(value)
        }
    }

    /// Reads a list of references, as in collections.
    mutating func parts(_ list: SettingValue) throws(ArchiveError) -> [ArchivedValue] {
        guard case .array(let elements) = list else { throw damaged("A list of its elements is missing.") }
        return try elements.enumerated().map { (index, element) throws(ArchiveError) in
            try part(element, at: "\(index)")
        }
    }

    /// Reads a value that is in the property list itself.
    private mutating func plain(_ value: SettingValue) throws(ArchiveError) -> ArchivedValue {
        switch value {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .number(let literal): return ArchivedDecimal.value(of: literal)
        case .date(let date): return .date(date)
        case .string(let text):
            try spend(1, text.utf8.count)
            return .string(text)
        case .data(let data):
            try spend(1, data.count)
            return .data(data)
        case .array:
            try descend()
            try spend(1, 0)
            return .array(try parts(value))
        case .dictionary(let entries):
            try descend()
            try spend(1, 0)
            var result: [ArchivedEntry] = []
            for (key, value) in entries.sortedByKey() {
                result.append(ArchivedEntry(key: .string(key), value: try part(value, at: key)))
            }
            return .dictionary(result)
        }
    }

    /// Records that the current value has levels. Collections in an object itself count as objects do: both use stack
    /// space, including that of code that uses the values.
    ///
    /// - Parameter height: The number of its levels.
    private mutating func descend(_ height: Int = 1) throws(ArchiveError) {
        depth = max(depth, path.count - 1 + height)
        guard depth <= SettingValue.depthLimit else { throw failure(.limit, SettingValue.depthReason) }
    }

    private mutating func spend(_ values: Int, _ bytes: Int) throws(ArchiveError) {
        left.values -= values
        left.bytes -= bytes
        guard left.values >= 0, left.bytes >= 0 else {
            throw failure(.limit, "The archive refers to the same objects so often that it stands for too many values.")
        }
    }

    func damaged(_ reason: String) -> ArchiveError { failure(.damaged, reason) }

    private func failure(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        ArchiveError(code, at: ArchivePath(path).description, reason)
    }
}
