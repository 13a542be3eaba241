import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Builds the object table of a keyed archive, which `NSKeyedUnarchiver` reads.
struct ArchiveWriter {
    private let sharedObjects: [ArchivedValue]
    private var objects: [SettingValue] = [.string("$null")]
    /// The added objects for classes and for plain values, which all references share.
    private var classes: [[String]: Int] = [:]
    private var plainValues: [PlainValue: Int] = [:]
    /// The numbers of the shared objects, by index, and the indices in the order of their first references.
    private var numbers: [Int: Int] = [:]
    private var pending: [Int] = []
    private var path: [String] = []
    /// The number of collections and objects around the value being written, up to the shared object that it is in.
    private var depth = 0

    private init(_ sharedObjects: [ArchivedValue]) { self.sharedObjects = sharedObjects }

    /// Returns the property list of an archive.
    static func list(of archive: KeyedArchive) throws(ArchiveError) -> SettingValue {
        var writer = ArchiveWriter(archive.sharedObjects)
        let entries = try writer.entries(of: archive.top)
        try writer.addSharedObjects()
        return .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$top": .dictionary(entries),
            "$objects": .array(writer.objects),
        ])
    }

    /// Adds those that are referred to, one after the other, since they may refer to each other without an end.
    private mutating func addSharedObjects() throws(ArchiveError) {
        var next = 0
        while next < pending.count {
            let index = pending[next]
            next += 1
            path = ["sharedObjects", "\(index)"]
            guard let number = numbers[index] else { continue }
            objects[number] = try object(of: sharedObjects[index])
        }
    }

    // MARK: Parts

    private mutating func entries(of fields: ArchivedFields) throws(ArchiveError) -> SettingValue.Entries {
        var entries = SettingValue.Entries()
        for field in fields.all {
            let key = ArchiveTable.archiveKey(field.key)
            path.append(field.key)
            defer { path.removeLast() }
            entries[key] = field.isPrimitive ? try primitive(field.value) : try reference(to: field.value)
        }
        return entries
    }

    /// Returns a value in the object itself. The elements of a collection there are objects all the same, as in those
    /// that subclasses of collections encode.
    private mutating func primitive(_ value: ArchivedValue) throws(ArchiveError) -> SettingValue {
        if let scalar = value.scalar { return scalar }
        switch value {
        case .array(let values, _):
            return try inside { (writer) throws(ArchiveError) in .array(try writer.elements(values)) }
        case .dictionary(let content, _):
            return try inside { (writer) throws(ArchiveError) in
                var entries = SettingValue.Entries()
                for entry in content {
                    guard case .string(let key, _) = entry.key else {
                        throw writer.failure("The keys within an object must be texts.")
                    }
                    entries[key] = try writer.element(entry.value, at: key)
                }
                return .dictionary(entries)
            }
        default:
            throw failure("This can't be stored within an object; it must be an object of its own.")
        }
    }

    private mutating func reference(to value: ArchivedValue) throws(ArchiveError) -> SettingValue {
        Self.reference(try number(of: value))
    }

    private static func reference(_ number: Int) -> SettingValue {
        .dictionary([PropertyListDialect.referenceKey: .integer(Int64(number))])
    }

    /// Returns an element of a collection, which can't be absent.
    private mutating func element(_ value: ArchivedValue, at step: String) throws(ArchiveError) -> SettingValue {
        path.append(step)
        defer { path.removeLast() }
        return try reference(to: value == .null ? .nullObject : value)
    }

    private mutating func elements(_ values: [ArchivedValue]) throws(ArchiveError) -> [SettingValue] {
        try values.enumerated().map { (index, value) throws(ArchiveError) in
            try element(value, at: "\(index)")
        }
    }

    /// Writes what is in a collection or an object.
    private mutating func inside<Content>(
        _ body: (inout ArchiveWriter) throws(ArchiveError) -> Content
    ) throws(ArchiveError) -> Content {
        guard depth < SettingValue.depthLimit else { throw failure(SettingValue.depthReason, .limit) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // MARK: Objects

    /// Returns the number of the object for a value. Equal plain values have one, which can't change.
    private mutating func number(of value: ArchivedValue) throws(ArchiveError) -> Int {
        switch value {
        case .null: return 0
        case .reference(let index): return try number(ofShared: index)
        default: break
        }
        let plain = PlainValue(value)
        if let plain, let known = plainValues[plain] { return known }
        let number = reserve()
        objects[number] = try object(of: value)
        if let plain { plainValues[plain] = number }
        return number
    }

    private mutating func number(ofShared index: Int) throws(ArchiveError) -> Int {
        if let known = numbers[index] { return known }
        guard sharedObjects.indices.contains(index) else {
            throw failure("It refers to shared object \(index), and the archive has \(sharedObjects.count).")
        }
        let number = reserve()
        numbers[index] = number
        pending.append(index)
        return number
    }

    /// Adds an object that is filled in later. It has a lower number than those in it.
    private mutating func reserve() -> Int {
        objects.append(.null)
        return objects.count - 1
    }

    private mutating func object(of value: ArchivedValue) throws(ArchiveError) -> SettingValue {
        switch value {
        case .bool, .integer, .real: return value.scalar ?? .null
        case .number(let literal): return try object(ofNumber: literal)
        case .string(let text, let isMutable):
            // As a plain string, this one would have no effect.
            guard isMutable || text == "$null" else { return .string(text) }
            return instance(.string, isMutable: isMutable, ["NS.string": .string(text)])
        case .data(let data, let isMutable):
            return isMutable ? instance(.data, isMutable: true, ["NS.data": .data(data)]) : .data(data)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { throw failure("A date must be finite.") }
            return instance(.date, ["NS.time": .real(seconds)])
        case .uuid(let uuid):
            return instance(.uuid, ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
        case .url(let text, let base):
            let outer = try reference(to: base.map { .url($0, base: nil) } ?? .null)
            return instance(.url, ["NS.base": outer, "NS.relative": try reference(to: .string(text))])
        case .object(let object) where object.isNull: return instance(.null, [:])
        case .array, .set, .orderedSet, .dictionary, .object:
            return try inside { (writer) throws(ArchiveError) in try writer.container(value) }
        case .null, .reference: throw failure("A shared object must be an object, not nil or a reference.")
        }
    }

    private mutating func container(_ value: ArchivedValue) throws(ArchiveError) -> SettingValue {
        switch value {
        case .array(let values, let isMutable):
            return instance(.array, isMutable: isMutable, ["NS.objects": .array(try elements(values))])
        case .set(let values, let isMutable):
            return instance(.set, isMutable: isMutable, ["NS.objects": .array(try elements(values))])
        case .orderedSet(let values, let isMutable):
            var entries = SettingValue.Entries()
            for (index, element) in try elements(values).enumerated() { entries["NS.object.\(index)"] = element }
            return instance(.orderedSet, isMutable: isMutable, entries)
        case .dictionary(let content, let isMutable):
            return instance(.dictionary, isMutable: isMutable, try entries(of: content))
        case .object(let object):
            return instance(of: [object.className] + object.superclasses, try entries(of: object.fields))
        default: return .null
        }
    }

    private mutating func entries(of content: [ArchivedEntry]) throws(ArchiveError) -> SettingValue.Entries {
        var (keys, values): ([SettingValue], [SettingValue]) = ([], [])
        for (index, entry) in content.enumerated() {
            keys.append(try element(entry.key, at: "key \(index)"))
            let step = if case .string(let text, _) = entry.key { text } else { "value \(index)" }
            values.append(try element(entry.value, at: step))
        }
        return ["NS.keys": .array(keys), "NS.objects": .array(values)]
    }

    private mutating func instance(
        _ kind: FoundationClass, isMutable: Bool = false, _ entries: SettingValue.Entries
    ) -> SettingValue {
        instance(of: kind.names(isMutable: isMutable), entries)
    }

    private mutating func instance(of names: [String], _ entries: SettingValue.Entries) -> SettingValue {
        var entries = entries
        entries["$class"] = Self.reference(classNumber(names))
        return .dictionary(entries)
    }

    private mutating func classNumber(_ names: [String]) -> Int {
        if let known = classes[names] { return known }
        let number = reserve()
        objects[number] = .dictionary([
            "$classname": .string(names[0]), "$classes": .array(names.map(SettingValue.string)),
        ])
        classes[names] = number
        return number
    }

    /// Returns a number. Integers beyond 64 bits have a special form in property lists; others are decimal numbers.
    private mutating func object(ofNumber literal: String) throws(ArchiveError) -> SettingValue {
        if let whole = UInt64(literal) { return .number("\(whole)") }
        guard let decimal = ArchivedDecimal(literal) else {
            throw failure("No number of Foundation holds it: a decimal number has up to 38 digits.")
        }
        var entries = SettingValue.Entries()
        decimal.write(to: &entries)
        return instance(.decimalNumber, entries)
    }

    private func failure(_ reason: String, _ code: ArchiveError.Code = .unsupportedValue) -> ArchiveError {
        ArchiveError(code, at: ArchivePath(path).description, reason)
    }
}

/// A value of which an archive has only one object, by its bits and bytes.
private enum PlainValue: Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(UInt64)
    case number(String)
    case string(Name)
    case data(Data)
    case date(UInt64)
    case url(Name, base: Name?)
    case uuid(UUID)

    /// - Returns: `nil` if equal values may be different objects.
    init?(_ value: ArchivedValue) {
        guard !value.hasIdentity else { return nil }
        switch value {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value.bitPattern)
        case .number(let literal): self = .number(literal)
        case .string(let text, _): self = .string(Name(text))
        case .data(let data, _): self = .data(data)
        case .date(let date): self = .date(date.timeIntervalSinceReferenceDate.bitPattern)
        case .url(let text, let base): self = .url(Name(text), base: base.map(Name.init))
        case .uuid(let uuid): self = .uuid(uuid)
        case .object: self = .null
        case .null, .array, .set, .orderedSet, .dictionary, .reference: return nil
        }
    }
}

extension ArchiveTable {
    /// Returns the key in the archive for a program's key: the inverse of ``programKey(_:)``.
    static func archiveKey(_ key: String) -> String {
        key.utf8.first == UInt8(ascii: "$") && programKey(key) != key ? "$" + key : key
    }
}
