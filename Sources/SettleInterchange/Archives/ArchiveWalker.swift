import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Follows the references of a keyed archive from its top, and builds values from the objects.
///
/// Trusts nothing in the archive. A small archive may represent an endless tree, so no object is followed twice: each
/// one is read by itself, with references in it, and ``nested(_:)`` then puts those with one reference in their places.
struct ArchiveWalker {
    let table: ArchiveTable
    /// The values of the objects that have no other values in them; `nil` for those that have been found to be other
    /// objects, and for those that are being read.
    private var leaves: [Int: ArchivedValue?] = [:]
    /// The objects for which references stand, by number, until they are nested.
    var contents: [Int: ArchivedValue] = [:]
    /// The number of references to each of them.
    private(set) var counts: [Int: Int] = [:]
    /// The steps of their first references.
    private(set) var origins: [Int: Int] = [:]
    /// Those that have been found, in order. All but the first few have not been read yet.
    private var pending: [Int] = []
    /// The classes by the numbers of their descriptions. All objects of a class share its names, which may be long.
    private var classes: [Int: ArchiveTable.Class] = [:]
    /// The maximum number of superclasses. No program comes near it.
    private static let superclassLimit = 128
    /// The maximum number of bytes in the names of a class and its superclasses.
    private static let nameLimit = 16 << 10
    /// The steps from the top to the values read so far, each with the index of the step before it.
    private var steps: [(outer: Int, name: String)] = []
    /// The last step to the value being read; -1 at the top.
    var step = -1
    /// The number of objects being read whose value is that of another object, as the text of a URL.
    private var leafDepth = 0
    /// The number of further bytes of long texts that objects may take from others.
    private var left: Int

    init(_ table: ArchiveTable, size: Int) {
        self.table = table
        left = 4 * size + 1 << 16
    }

    /// Reads everything.
    mutating func read() throws(ArchiveError) -> (top: ArchivedFields, sharedObjects: [ArchivedValue]) {
        let top = try fields(of: table.top)
        var next = 0
        while next < pending.count {
            let number = pending[next]
            next += 1
            step = origins[number] ?? -1
            contents[number] = try container(table.objects[number])
        }
        return try nested(top)
    }

    // MARK: Objects

    /// Returns a short value itself, and a reference to any other object.
    private mutating func object(_ number: Int) throws(ArchiveError) -> ArchivedValue {
        if counts[number] == nil {
            let leaf = try leaf(number)
            if let leaf, !leaf.hasIdentity { return leaf }
            origins[number] = step
            contents[number] = leaf
            if leaf == nil { pending.append(number) }
        }
        counts[number, default: 0] += 1
        return .reference(number)
    }

    /// Returns an object's value if there are no other values in it.
    private mutating func leaf(_ number: Int) throws(ArchiveError) -> ArchivedValue? {
        guard table.objects.indices.contains(number) else {
            throw damaged("It refers to object \(number), and the archive has \(table.objects.count).")
        }
        // The first object is $null.
        guard number > 0 else { return .null }
        if let known = leaves[number] { return known }
        guard leafDepth < SettingValue.depthLimit else { throw failure(.limit, SettingValue.depthReason) }
        leafDepth += 1
        defer { leafDepth -= 1 }
        // One whose text is itself has none.
        leaves.updateValue(nil, forKey: number)
        let leaf = try readLeaf(table.objects[number])
        leaves.updateValue(leaf, forKey: number)
        return leaf
    }

    private mutating func readLeaf(_ object: SettingValue) throws(ArchiveError) -> ArchivedValue? {
        guard case .dictionary(let entries) = object, let type = try describedClass(of: entries) else {
            return Self.scalar(object)
        }
        guard let (kind, isMutable) = Self.foundationClass(type, entries) else { return nil }
        return try leaf(of: kind, isMutable: isMutable, entries)
    }

    /// Returns the value of an entry, or of the object to which it refers, if there are no other values in it.
    mutating func leaf(_ entry: SettingValue) throws(ArchiveError) -> ArchivedValue? {
        guard case .reference(let number) = ArchiveTable.part(entry) else { return Self.scalar(entry) }
        let leaf = try leaf(number)
        // The text is repeated in the archive that is written.
        if let size = leaf?.size, size > ArchivedValue.shortSize { left -= size }
        guard left >= 0 else {
            throw failure(.limit, "Objects refer to the same long texts so often that they expand to too much.")
        }
        return leaf
    }

    private mutating func container(_ object: SettingValue) throws(ArchiveError) -> ArchivedValue {
        guard case .dictionary(let entries) = object, let type = try describedClass(of: entries) else {
            return try plain(object)
        }
        if let (kind, isMutable) = Self.foundationClass(type, entries),
            let value = try collection(of: kind, isMutable: isMutable, entries)
        {
            return value
        }
        return .object(
            ArchivedObject(className: type.name, superclasses: type.superclasses, fields: try fields(of: entries)))
    }

    /// Returns the class of Foundation in whose form an object is; `nil` for another one. A program's class may derive
    /// from one of Foundation's. Its additional fields must not be lost.
    private static func foundationClass(
        _ type: ArchiveTable.Class, _ entries: SettingValue.Entries
    ) -> (kind: FoundationClass, isMutable: Bool)? {
        type.isFoundations || entries.areFoundations ? type.foundation : nil
    }

    /// - Returns: `nil` for a dictionary that is not an object.
    private mutating func describedClass(
        of entries: SettingValue.Entries
    ) throws(ArchiveError) -> ArchiveTable.Class? {
        guard let reference = entries["$class"] else { return nil }
        guard case .reference(let number) = ArchiveTable.part(reference) else {
            throw damaged("Its class is not described.")
        }
        if let known = classes[number] { return known }
        guard let found = table.describedClass(number) else { throw damaged("Its class is not described.") }
        guard found.superclasses.count <= Self.superclassLimit else {
            throw failure(.limit, "Its class derives from more than \(Self.superclassLimit) others.")
        }
        guard found.superclasses.reduce(found.name.utf8.count, { $0 + $1.utf8.count }) <= Self.nameLimit else {
            throw failure(.limit, "The names of its class have more than \(Self.nameLimit) bytes.")
        }
        classes[number] = found
        return found
    }

    private mutating func fields(of entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedFields {
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
    private mutating func part(_ value: SettingValue, at name: String) throws(ArchiveError) -> ArchivedValue {
        let outer = step
        steps.append((outer, name))
        step = steps.count - 1
        defer { step = outer }
        switch ArchiveTable.part(value) {
        case .reference(let number): return try object(number)
        case .value(let value): return try plain(value)
        }
    }

    /// Returns an element of a collection, in which there is no `nil`.
    mutating func element(_ value: SettingValue, at name: String) throws(ArchiveError) -> ArchivedValue {
        let element = try part(value, at: name)
        if case .object(let object) = element, object.isNull { return .null }
        return element
    }

    /// Reads a list of references, as in collections.
    mutating func elements(_ list: SettingValue) throws(ArchiveError) -> [ArchivedValue] {
        guard case .array(let elements) = list else { throw damaged("A list of its elements is missing.") }
        return try elements.enumerated().map { (index, value) throws(ArchiveError) in
            try element(value, at: "\(index)")
        }
    }

    /// Reads a value that is in the property list itself.
    private mutating func plain(_ value: SettingValue) throws(ArchiveError) -> ArchivedValue {
        if let scalar = Self.scalar(value) { return scalar }
        guard case .dictionary(let entries) = value else { return .array(try elements(value)) }
        return .dictionary(
            try entries.sortedByKey().map { (key, value) throws(ArchiveError) in
                ArchivedEntry(key: .string(key), value: try element(value, at: key))
            })
    }

    /// - Returns: `nil` for an array or a dictionary.
    private static func scalar(_ value: SettingValue) -> ArchivedValue? {
        switch value {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .number(let literal): ArchivedDecimal.value(of: literal)
        case .date(let date): .date(date)
        case .string(let text): .string(text)
        case .data(let data): .data(data)
        case .array, .dictionary: nil
        }
    }

    func damaged(_ reason: String) -> ArchiveError { failure(.damaged, reason) }

    /// Returns an error with the path to the value being read.
    func failure(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        var names: [String] = []
        var step = step
        while step >= 0 {
            names.append(steps[step].name)
            step = steps[step].outer
        }
        return ArchiveError(code, at: ArchivePath(names.reversed()).description, reason)
    }
}
