import Settle

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Builds the object table of a keyed archive, which `NSKeyedUnarchiver` reads.
struct ArchiveWriter {
    private var objects: [SettingValue] = [.string("$null")]
    /// The added objects for classes and strings, which all references share.
    private var classes: [[String]: Int] = [:]
    private var texts: [[UInt8]: Int] = [:]
    private var path: [String] = []
    /// The objects being written, by the paths to them.
    private var open: [ArchivePath: Int] = [:]

    /// Returns the property list of an archive.
    static func list(of top: ArchivedFields) throws(ArchiveError) -> SettingValue {
        var writer = ArchiveWriter()
        let entries = try writer.entries(of: top)
        return .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000), "$top": .dictionary(entries),
            "$objects": .array(writer.objects),
        ])
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
        case .array(let values): return try elements(values)
        case .dictionary(let content):
            var entries = SettingValue.Entries()
            for entry in content {
                guard case .string(let key) = entry.key else {
                    throw failure("The keys in an object itself are texts.")
                }
                entries[key] = try element(entry.value, at: key)
            }
            return .dictionary(entries)
        default:
            throw failure("This can't stand in an object itself; it must be an object of its own.")
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
        guard value == .null else { return try reference(to: value) }
        return Self.reference(try add(.null) { (_, _) throws(ArchiveError) in })
    }

    private mutating func elements(_ values: [ArchivedValue]) throws(ArchiveError) -> SettingValue {
        .array(
            try values.enumerated().map { (index, value) throws(ArchiveError) in
                try element(value, at: "\(index)")
            })
    }

    // MARK: Objects

    private mutating func number(of value: ArchivedValue) throws(ArchiveError) -> Int {
        switch value {
        case .null: return 0
        case .bool, .integer, .real, .data: return add(value.scalar ?? .null)
        case .number(let literal): return try number(literal: literal)
        case .string(let text): return try number(text: text)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { throw failure("A date must be finite.") }
            return try add(.date) { (_, entries) throws(ArchiveError) in entries["NS.time"] = .real(seconds) }
        case .uuid(let uuid):
            let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
            return try add(.uuid) { (_, entries) throws(ArchiveError) in entries["NS.uuidbytes"] = .data(bytes) }
        case .url(let text, let base):
            return try add(.url) { (writer, entries) throws(ArchiveError) in
                entries["NS.base"] = try writer.reference(to: base.map { .url($0, base: nil) } ?? .null)
                entries["NS.relative"] = try writer.reference(to: .string(text))
            }
        case .array(let values):
            return try add(.array) { (writer, entries) throws(ArchiveError) in
                entries["NS.objects"] = try writer.elements(values)
            }
        case .set(let values):
            return try add(.set) { (writer, entries) throws(ArchiveError) in
                entries["NS.objects"] = try writer.elements(values)
            }
        case .orderedSet(let values):
            return try add(.orderedSet) { (writer, entries) throws(ArchiveError) in
                for (index, value) in values.enumerated() {
                    entries["NS.object.\(index)"] = try writer.element(value, at: "\(index)")
                }
            }
        case .dictionary(let content):
            return try add(.dictionary) { (writer, entries) throws(ArchiveError) in
                try writer.add(content, to: &entries)
            }
        case .object(let object):
            let names = [object.className] + object.superclasses
            return try add(object: names) { (writer, entries) throws(ArchiveError) in
                for (key, value) in try writer.entries(of: object.fields) { entries[key] = value }
            }
        case .cycle(let outer):
            guard let number = open[outer] else { throw failure("It refers to \(outer), which is not around it.") }
            return number
        }
    }

    private mutating func add(
        _ content: [ArchivedEntry], to entries: inout SettingValue.Entries
    ) throws(ArchiveError) {
        var (keys, values): ([SettingValue], [SettingValue]) = ([], [])
        for (index, entry) in content.enumerated() {
            keys.append(try element(entry.key, at: "key \(index)"))
            let step = if case .string(let text) = entry.key { text } else { "value \(index)" }
            values.append(try element(entry.value, at: step))
        }
        entries["NS.keys"] = .array(keys)
        entries["NS.objects"] = .array(values)
    }

    private mutating func add(_ value: SettingValue) -> Int {
        objects.append(value)
        return objects.count - 1
    }

    private mutating func add(
        _ kind: FoundationClass,
        _ fill: (inout ArchiveWriter, inout SettingValue.Entries) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int {
        try add(object: kind.names, fill)
    }

    private mutating func add(
        object names: [String],
        _ fill: (inout ArchiveWriter, inout SettingValue.Entries) throws(ArchiveError) -> Void
    ) throws(ArchiveError) -> Int {
        guard open.count < SettingValue.depthLimit else { throw failure(SettingValue.depthReason, .limit) }
        let number = add(.null)
        let place = ArchivePath(path)
        let outer = open.updateValue(number, forKey: place)
        defer { open[place] = outer }
        var entries = SettingValue.Entries()
        try fill(&self, &entries)
        entries["$class"] = Self.reference(classNumber(names))
        objects[number] = .dictionary(entries)
        return number
    }

    private mutating func classNumber(_ names: [String]) -> Int {
        if let known = classes[names] { return known }
        let number = add(
            .dictionary(["$classname": .string(names[0]), "$classes": .array(names.map(SettingValue.string))]))
        classes[names] = number
        return number
    }

    private mutating func number(text: String) throws(ArchiveError) -> Int {
        if let known = texts[Array(text.utf8)] { return known }
        // As a plain string it would have no effect.
        let number =
            text == "$null"
            ? try add(.string) { (_, entries) throws(ArchiveError) in entries["NS.string"] = .string(text) }
            : add(.string(text))
        texts[Array(text.utf8)] = number
        return number
    }

    /// Returns a number. Integers beyond 64 bits have a special form in property lists; others are decimal numbers.
    private mutating func number(literal: String) throws(ArchiveError) -> Int {
        if let whole = UInt64(literal) { return add(.number("\(whole)")) }
        guard let decimal = ArchivedDecimal(literal) else {
            throw failure("No number of Foundation holds it: a decimal number has up to 38 digits.")
        }
        return try add(.decimalNumber) { (_, entries) throws(ArchiveError) in decimal.write(to: &entries) }
    }

    private func failure(_ reason: String, _ code: ArchiveError.Code = .unsupportedValue) -> ArchiveError {
        ArchiveError(code, at: ArchivePath(path).description, reason)
    }
}

extension ArchiveTable {
    /// Returns the key in the archive for a program's key: the inverse of ``programKey(_:)``.
    static func archiveKey(_ key: String) -> String {
        key.utf8.first == UInt8(ascii: "$") && programKey(key) != key ? "$" + key : key
    }
}

extension KeyedArchive {
    /// The form of an archive.
    public enum Form: Sendable, Hashable {
        /// A binary property list, as `NSKeyedArchiver` writes it by default.
        case binary
        /// A property list in XML.
        case xml
    }

    /// Returns the archive, for an `NSKeyedUnarchiver` of a program that has the classes.
    ///
    /// Values that occur several times in the archive are written several times; strings and classes are shared.
    ///
    /// - Throws: ``ArchiveError`` with the path to a value that archives can't hold: a decimal number of more than 38
    ///   digits, a date that is not finite, a cycle to an object that does not enclose it, more than 128 levels. In
    ///   XML, a date stored in an object itself must be in whole seconds of the years 0 to 9999.
    public func data(as form: Form = .binary) throws(ArchiveError) -> Data {
        let list = try ArchiveWriter.list(of: top)
        do throws(FormatError) {
            return Data(form == .binary ? try PropertyListDocument.binary(list) : try PropertyListDocument.xml(list))
        } catch {
            throw ArchiveError(.unsupportedValue, "The archive can't be written: \(error)")
        }
    }
}
