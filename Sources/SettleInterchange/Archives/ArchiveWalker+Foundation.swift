import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The objects of Foundation's classes, in each form that archives have used.
extension ArchiveWalker {
    /// - Returns: `nil` if the object has an unknown form; it is then reported unchanged.
    mutating func value(
        of kind: FoundationClass, _ entries: SettingValue.Entries
    ) throws(ArchiveError) -> ArchivedValue? {
        switch kind {
        case .null: .null
        case .number: number(entries)
        case .decimalNumber: decimalNumber(entries)
        case .string: try string(entries)
        case .data: try bytes(entries, entries["NS.data"] == nil ? "NS.bytes" : "NS.data").map(ArchivedValue.data)
        case .date: try date(entries)
        case .url: try url(entries)
        case .uuid: try uuid(entries)
        case .array: try elements(entries).map(ArchivedValue.array)
        case .set: try elements(entries).map(ArchivedValue.set)
        case .orderedSet: try elements(entries).map(ArchivedValue.orderedSet)
        case .dictionary: try dictionary(entries)
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

    private mutating func string(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        if entries["NS.string"] != nil { return try text(entries, "NS.string").map(ArchivedValue.string) }
        guard let data = try bytes(entries, "NS.bytes") else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else { throw damaged("A text is not in UTF-8.") }
        return .string(text)
    }

    private mutating func text(_ entries: SettingValue.Entries, _ key: String) throws(ArchiveError) -> String? {
        guard let value = entries[key], case .string(let text) = try part(value, at: key) else { return nil }
        return text
    }

    private mutating func bytes(_ entries: SettingValue.Entries, _ key: String) throws(ArchiveError) -> Data? {
        guard let value = entries[key], case .data(let data) = try part(value, at: key) else { return nil }
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
        switch try part(base, at: "NS.base") {
        case .null: return .url(text, base: nil)
        case .url(let outer, base: nil): return .url(text, base: outer)
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
    private mutating func elements(_ entries: SettingValue.Entries) throws(ArchiveError) -> [ArchivedValue]? {
        if let list = entries["NS.objects"] { return try parts(list) }
        var elements: [ArchivedValue] = []
        while let element = entries["NS.object.\(elements.count)"] {
            elements.append(try part(element, at: "\(elements.count)"))
        }
        return elements.count == entries.fieldCount ? elements : nil
    }

    private mutating func dictionary(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        guard case .array(let keyParts)? = entries["NS.keys"], case .array(let valueParts)? = entries["NS.objects"]
        else {
            return try numberedEntries(entries)
        }
        guard keyParts.count == valueParts.count else {
            throw damaged("A dictionary has \(keyParts.count) keys and \(valueParts.count) values.")
        }
        var result: [ArchivedEntry] = []
        for (index, (keyPart, valuePart)) in zip(keyParts, valueParts).enumerated() {
            result.append(try entry(keyPart, valuePart, index))
        }
        return .dictionary(result)
    }

    private mutating func numberedEntries(_ entries: SettingValue.Entries) throws(ArchiveError) -> ArchivedValue? {
        var result: [ArchivedEntry] = []
        while let key = entries["NS.key.\(result.count)"], let value = entries["NS.object.\(result.count)"] {
            result.append(try entry(key, value, result.count))
        }
        return 2 * result.count == entries.fieldCount ? .dictionary(result) : nil
    }

    private mutating func entry(
        _ keyPart: SettingValue, _ valuePart: SettingValue, _ index: Int
    ) throws(ArchiveError) -> ArchivedEntry {
        let key = try part(keyPart, at: "key \(index)")
        let step = if case .string(let text) = key { text } else { "value \(index)" }
        return ArchivedEntry(key: key, value: try part(valuePart, at: step))
    }
}

extension SettingValue.Entries {
    /// The number of the object's own fields.
    fileprivate var fieldCount: Int { count { ArchiveTable.programKey($0.key) != nil } }

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
