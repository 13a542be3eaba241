#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes one binary property list with sorted keys, so that equal trees give equal files.
struct BinaryPropertyListWriter {
    private typealias Kind = BinaryPropertyListKind

    private enum Object {
        /// A marker and a payload.
        case scalar([UInt8])
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private let dialect: PropertyListDialect
    private var objects: [Object] = []
    /// The objects of the strings added so far. ASCII strings only: others may be equal in Swift and have different
    /// bytes.
    private var strings: [String: Int] = [:]

    init(dialect: PropertyListDialect = .settings) { self.dialect = dialect }

    /// Adds a value with everything that it contains, and returns the number of its object.
    mutating func add(_ value: SettingValue, depth: Int) throws(FormatError) -> Int {
        switch value {
        case .null: return add(string: try dialect.spellingOfNull())
        case .bool(let value): return add([value ? Kind.true : Kind.false])
        case .integer(let value): return add(integer(value))
        case .real(let value): return add(real(value, Kind.real))
        case .number(let literal): return add(try integer(literal))
        case .string(let text): return add(string: dialect.spelling(of: text))
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else {
                throw FormatError(.unsupportedValue, at: .key(""), "A date must be finite, but this one is \(seconds).")
            }
            return add(real(seconds, Kind.date))
        case .data(let data): return add(marker(Kind.data, count: data.count) + data)
        case .array(let elements): return try add(elements, depth)
        case .dictionary(let entries):
            // It is read as a dictionary, so it must not be deeper than one.
            if depth <= SettingValue.depthLimit, let number = dialect.reference(entries) {
                return add(reference(number))
            }
            return try add(entries, depth)
        }
    }

    /// The finished file. The first value added is the root.
    consuming func finish() -> [UInt8] {
        var bytes = BinaryPropertyListFormat.magic
        var offsets: [Int] = []
        offsets.reserveCapacity(objects.count)
        let referenceSize = byteCount(of: objects.count - 1)
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let content):
                bytes.append(contentsOf: content)
            case .array(let elements):
                bytes.append(contentsOf: marker(Kind.array, count: elements.count))
                for element in elements { bytes.append(element, size: referenceSize) }
            case .dictionary(let keys, let values):
                bytes.append(contentsOf: marker(Kind.dictionary, count: keys.count))
                for key in keys { bytes.append(key, size: referenceSize) }
                for value in values { bytes.append(value, size: referenceSize) }
            }
        }
        let tableOffset = bytes.count
        let offsetSize = byteCount(of: tableOffset)
        for offset in offsets { bytes.append(offset, size: offsetSize) }
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        bytes.append(objects.count, size: 8)
        bytes.append(0, size: 8)
        bytes.append(tableOffset, size: 8)
        return bytes
    }
}

extension BinaryPropertyListWriter {
    private mutating func add(_ content: [UInt8]) -> Int {
        objects.append(.scalar(content))
        return objects.count - 1
    }

    private mutating func add(string text: String) -> Int {
        let utf8 = text.utf8
        guard utf8.allSatisfy({ $0 < 0x80 }) else {
            let units = text.utf16
            return add(marker(Kind.utf16, count: units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        }
        if let known = strings[text] { return known }
        let object = add(marker(Kind.ascii, count: utf8.count) + utf8)
        strings[text] = object
        return object
    }

    private mutating func add(_ elements: [SettingValue], _ depth: Int) throws(FormatError) -> Int {
        let object = try addContainer(depth)
        var references: [Int] = []
        references.reserveCapacity(elements.count)
        for (position, element) in elements.enumerated() {
            references.append(try add(element, below: String(position), depth))
        }
        objects[object] = .array(references)
        return object
    }

    private mutating func add(_ entries: SettingValue.Entries, _ depth: Int) throws(FormatError) -> Int {
        let object = try addContainer(depth)
        let sorted = entries.sortedByKey()
        let keys = sorted.map { add(string: $0.key) }
        var values: [Int] = []
        values.reserveCapacity(sorted.count)
        for (key, value) in sorted {
            values.append(try add(value, below: key, depth))
        }
        objects[object] = .dictionary(keys: keys, values: values)
        return object
    }

    /// Reserves the object number of an array or dictionary before adding its contents, so that the root is the first.
    private mutating func addContainer(_ depth: Int) throws(FormatError) -> Int {
        guard depth <= SettingValue.depthLimit else {
            throw FormatError(.limit, at: .key(""), SettingValue.depthReason)
        }
        return add([])
    }

    private mutating func add(_ value: SettingValue, below key: String, _ depth: Int) throws(FormatError) -> Int {
        do throws(FormatError) {
            return try add(value, depth: depth + 1)
        } catch {
            throw error.below(key)
        }
    }

    private func marker(_ kind: UInt8, count: Int) -> [UInt8] {
        count < 0x0F ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F] + integer(Int64(count))
    }

    /// In the fewest bytes; negative integers always take 8, since shorter ones are unsigned.
    private func integer(_ value: Int64) -> [UInt8] {
        let exponent = value < 0 ? 3 : value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
        var bytes = [Kind.integer << 4 | UInt8(exponent)]
        bytes.append(bigEndian: value, size: 1 << exponent)
        return bytes
    }

    private func integer(_ literal: String) throws(FormatError) -> [UInt8] {
        guard let decimal = DecimalNumber(literal), let value = Int128(exactly: decimal) else {
            throw FormatError(
                .unsupportedValue, at: .key(""), "A binary property list cannot store this number."
            )
        }
        if let value = Int64(exactly: value) { return integer(value) }
        var bytes = [Kind.integer << 4 | 4]
        bytes.append(bigEndian: value, size: 16)
        return bytes
    }

    private func real(_ value: Double, _ kind: UInt8) -> [UInt8] {
        var bytes = [kind << 4 | 3]
        bytes.append(bigEndian: value.bitPattern, size: 8)
        return bytes
    }

    private func reference(_ number: UInt32) -> [UInt8] {
        let size = byteCount(of: Int(number))
        var bytes = [Kind.reference << 4 | UInt8(size - 1)]
        bytes.append(bigEndian: number, size: size)
        return bytes
    }

    private func byteCount(of value: Int) -> Int {
        value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: Int, size: Int) {
        append(bigEndian: number, size: size)
    }

    fileprivate mutating func append(bigEndian number: some FixedWidthInteger, size: Int) {
        for byte in (0..<size).reversed() {
            append(UInt8(truncatingIfNeeded: number >> (8 * byte)))
        }
    }
}
