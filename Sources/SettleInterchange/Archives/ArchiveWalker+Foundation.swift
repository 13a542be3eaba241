import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The objects of Foundation's classes, in each form that archives have used.
extension ArchiveWalker {
    /// Reads an object without other values in it.
    ///
    /// - Returns: `nil` if it is a collection, or has an unknown form; the latter is then reported unchanged.
    mutating func leaf(
        of kind: FoundationClass, isMutable: Bool, _ entries: SettingValue.Entries
    ) throws(ArchiveError) -> ArchivedValue? {
        switch kind {
        case .null: .nullObject
        case .number: number(entries)
        case .decimalNumber: decimalNumber(entries)
        case .string: try string(entries).map { .string($0, isMutable: isMutable) }
        case .data:
            try bytes(entries, entries["NS.data"] == nil ? "NS.bytes" : "NS.data").map {
                .data($0, isMutable: isMutable)
            }
        case .date: try date(entries)
        case .url: try url(entries)
        case .uuid: try uuid(entries)
        case .array, .set, .orderedSet, .dictionary: nil
        }
    }

    /// Reads a collection.
    ///
    /// - Returns: `nil` if it has an unknown form, or is another object.
    mutating func collection(
        of kind: FoundationClass, isMutable: Bool, _ entries: SettingValue.Entries
    ) throws(ArchiveError) -> ArchivedValue? {
        switch kind {
        case .array: try elements(of: entries).map { .array($0, isMutable: isMutable) }
        case .set: try elements(of: entries).map { .set($0, isMutable: isMutable) }
        case .orderedSet: try elements(of: entries).map { .orderedSet($0, isMutable: isMutable) }
        case .dictionary: try dictionary(entries).map { .dictionary($0, isMutable: isMutable) }
        case .null, .number, .decimalNumber, .string, .data, .date, .url, .uuid: nil
        }
    }

    private func number(_ entries: SettingValue.Entries) -> ArchivedValue? {
        switch (entries["NS.boolval"], entries["NS.intval"], entries["NS.dblval"]) {
        case (.bool(let value)?, _, _): .bool(value)
        case (_, .integer(let value)?, _): .integer(value)
        case (_, .number(let literal)?, _): ArchivedDecimal.value(of: literal)
        case (_, _, .real(let value)?): .real(value)
        default: nil
        }
    }

    /// Reads up to 8 groups of 16 bits, the least significant first, and a power of ten.
    private mutating func decimalNumber(_ entries: SettingValue.Entries) -> ArchivedValue? {
        guard case .data(let mantissa)? = entries["NS.mantissa"], case .integer(let exponent)? = entries["NS.exponent"],
            case .integer(let length)? = entries["NS.length"], case .bool(let isNegative)? = entries["NS.negative"],
            (-128...127).contains(exponent), (0...8).contains(length), mantissa.count >= 2 * length
        else { return nil }
        // NS_LittleEndian is 1, NS_BigEndian 2.
        let isBigEndian = entries["NS.mantissa.bo"] == .integer(2)
        let bytes = [UInt8](mantissa)
        var magnitude: UInt128 = 0
        for index in (0..<Int(length)).reversed() {
            let (first, second) = (UInt128(bytes[2 * index]), UInt128(bytes[2 * index + 1]))
            magnitude = magnitude << 16 | (isBigEndian ? first << 8 | second : second << 8 | first)
        }
        // A length of 0 with a sign is not a number.
        guard length > 0 || !isNegative else { return .real(.nan) }
        return .decimal(magnitude, exponent: Int(exponent), isNegative: isNegative)
    }

    private mutating func string(_ entries: SettingValue.Entries) throws(ArchiveError) -> String? {
        if entries["NS.string"] != nil { return try text(entries, "NS.string") }
        guard let data = try bytes(entries, "NS.bytes") else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else { throw damaged("A text is not in UTF-8.") }
        return text
    }

    private mutating func text(_ entries: SettingValue.Entries, _ key: String) throws(ArchiveError) -> String? {
        guard let entry = entries[key], case .string(let text, _)? = try leaf(entry) else { return nil }
        return text
    }

    private mutating func bytes(_ entries: SettingValue.Entries, _ key: String) throws(ArchiveError) -> Data? {
        guard let entry = entries[key], case .data(let data, _)? = try leaf(entry) else { return nil }
        return data
    }

    private func date(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        let seconds: Double
        switch entries["NS.time"] {
        case .real(let value)?: seconds = value
        case .integer(let value)?: seconds = Double(value)
        default: return nil
        }
        guard seconds.isFinite else { throw damaged("A date is not finite.") }
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    private mutating func url(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        guard let text = try text(entries, "NS.relative") else { return nil }
        guard let base = entries["NS.base"] else { return .url(text, base: nil) }
        switch try leaf(base) {
        case .null?: return .url(text, base: nil)
        case .url(let outer, base: nil)?: return .url(text, base: outer)
        // A base that itself has a base, which URLs don't have.
        default: return nil
        }
    }

    private mutating func uuid(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        guard let data = try bytes(entries, "NS.uuidbytes") else { return nil }
        guard data.count == 16 else { throw damaged("A UUID has \(data.count) bytes instead of 16.") }
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: data) }
        return .uuid(UUID(uuid: uuid))
    }

    /// Reads elements in a list, or each under its own key, as from coders without keys.
    private mutating func elements(of entries: SettingValue.Entries) throws(ArchiveError) -> [ArchivedValue]? {
        if let list = entries["NS.objects"] { return try elements(list) }
        let list = entries.numbered("NS.object.")
        return list.count == entries.fieldCount ? try elements(.array(list)) : nil
    }

    private mutating func dictionary(_ entries: SettingValue.Entries) throws(ArchiveError) -> [ArchivedEntry]? {
        guard case .array(let keys)? = entries["NS.keys"], case .array(let values)? = entries["NS.objects"] else {
            let (keys, values) = (entries.numbered("NS.key."), entries.numbered("NS.object."))
            let isWhole = keys.count == values.count && 2 * keys.count == entries.fieldCount
            return isWhole ? try self.entries(keys, values) : nil
        }
        guard keys.count == values.count else {
            throw damaged("A dictionary has \(keys.count) keys and \(values.count) values.")
        }
        return try self.entries(keys, values)
    }

    private mutating func entries(
        _ keys: [SettingValue], _ values: [SettingValue]
    ) throws(ArchiveError) -> [ArchivedEntry] {
        try zip(keys, values).enumerated().map { (index, entry) throws(ArchiveError) in
            let key = try element(entry.0, at: "key \(index)")
            let name = if case .string(let text, _) = key { text } else { "value \(index)" }
            return ArchivedEntry(key: key, value: try element(entry.1, at: name))
        }
    }
}

extension SettingValue.Entries {
    /// The number of the object's own fields.
    fileprivate var fieldCount: Int { count { ArchiveTable.programKey($0.key) != nil } }

    /// The values of the keys with a prefix and 0, 1, …, up to the first number that is missing.
    fileprivate func numbered(_ prefix: String) -> [SettingValue] {
        var values: [SettingValue] = []
        while let value = self["\(prefix)\(values.count)"] { values.append(value) }
        return values
    }

    /// Whether all of them belong to one of Foundation's classes, or to the archiver.
    var areFoundations: Bool { allSatisfy { key, _ in key.hasPrefix("NS.") || ArchiveTable.programKey(key) == nil } }
}

extension ArchivedValue {
    /// Returns a decimal number in the simplest form that holds it exactly.
    ///
    /// It always chooses the same one of several spellings, so that the written value is read again as the same: an
    /// integer of up to 128 bits in digits, and any other number without zeros at its end.
    static func decimal(_ magnitude: UInt128, exponent: Int, isNegative: Bool) -> ArchivedValue {
        var (magnitude, exponent) = (magnitude, magnitude == 0 ? 0 : exponent)
        while magnitude != 0, magnitude.isMultiple(of: 10) { (magnitude, exponent) = (magnitude / 10, exponent + 1) }
        // No power of ten beyond 10³⁸ fits in 128 bits.
        if (1...38).contains(exponent) {
            let power = (0..<exponent).reduce(UInt128(1)) { power, _ in power * 10 }
            let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: power)
            if !isTooLarge { (magnitude, exponent) = (product, 0) }
        }
        let sign = isNegative && magnitude != 0 ? "-" : ""
        let literal = exponent == 0 ? "\(sign)\(magnitude)" : "\(sign)\(magnitude)e\(exponent)"
        switch SettingValue(numberLiteral: literal) {
        case .integer(let value)?: return .integer(value)
        case .real(let value)?: return .real(value)
        default: return .number(literal)
        }
    }
}
