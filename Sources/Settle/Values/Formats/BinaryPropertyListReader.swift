#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads one binary property list. Trusts nothing in the file.
struct BinaryPropertyListReader {
    private typealias Kind = BinaryPropertyListKind

    private let bytes: [UInt8]
    private let dialect: PropertyListDialect
    private let duplicateKeys: DuplicateKeyRule
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootObject: Int
    private let tableOffset: Int

    /// The arrays and dictionaries being read, to detect cycles.
    private var openObjects: Set<Int> = []
    /// Strings and data read so far, shared among the references to them.
    private var sharedValues: [Int: SettingValue] = [:]
    /// The number of further values to which the file may expand. Without shared arrays and dictionaries, a tree cannot
    /// have more values than its file has bytes.
    private var remainingValues: Int
    /// The number of further bytes of strings and data to which the file may expand.
    private var remainingBytes: Int
    /// The maximum number of values for which a nested array or dictionary reserves memory before they are read.
    private static let trustedCount = 1024

    init(
        _ bytes: [UInt8], dialect: PropertyListDialect = .settings, duplicateKeys: DuplicateKeyRule = .refused
    ) throws(FormatError) {
        let trailer = bytes.count - BinaryPropertyListFormat.trailerSize
        let firstObject = BinaryPropertyListFormat.magic.count
        guard bytes.starts(with: BinaryPropertyListFormat.magic) else {
            throw FormatError(.syntax, atByte: 0, "A binary property list must start with bplist00.")
        }
        guard trailer > firstObject else {
            throw FormatError(.syntax, atByte: bytes.count, "The file is too short for a binary property list.")
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.integer(bytes, at: trailer + 8, size: 8),
            let rootObject = Self.integer(bytes, at: trailer + 16, size: 8),
            let tableOffset = Self.integer(bytes, at: trailer + 24, size: 8),
            tableOffset > firstObject, tableOffset < trailer,
            objectCount <= (trailer - tableOffset) / offsetSize, rootObject < objectCount
        else {
            throw FormatError(.syntax, atByte: trailer, "The last 32 bytes do not describe this file.")
        }
        self.bytes = bytes
        self.dialect = dialect
        self.duplicateKeys = duplicateKeys
        self.objectCount = objectCount
        self.rootObject = rootObject
        self.tableOffset = tableOffset
        remainingValues = 4 * bytes.count + 4096
        remainingBytes = 16 * bytes.count + 1 << 24
    }

    mutating func readDocument() throws(FormatError) -> SettingValue { try value(of: rootObject, depth: 0) }

    mutating func readFile() throws(FormatError) -> SettingTree {
        guard case .dictionary(let root) = try readDocument() else {
            throw failure(rootObject, "The settings must be a dictionary.", .syntax)
        }
        return SettingTree(root)
    }

    /// - Parameter depth: The depth of the array or dictionary that refers to the object.
    private mutating func value(of object: Int, depth: Int) throws(FormatError) -> SettingValue {
        remainingValues -= 1
        if let shared = sharedValues[object] {
            try spend(shared, object)
            return shared
        }
        guard remainingValues >= 0 else { throw unfolding(object) }
        let start = try offset(of: object)
        let size = bytes[start] & 0x0F
        switch bytes[start] >> 4 {
        case Kind.simple: return try simpleValue(object, marker: bytes[start])
        case Kind.integer: return try integer(object, start, sizeExponent: size)
        case Kind.real: return .real(try real(object, start, sizeExponent: size))
        case Kind.date: return try date(object, start, sizeExponent: size)
        case Kind.data, Kind.ascii, Kind.utf16:
            let value = try bytesValue(object, start)
            try spend(value, object)
            sharedValues[object] = value
            return value
        case Kind.reference where dialect == .literal:
            guard depth < SettingValue.depthLimit else { throw failure(object, SettingValue.depthReason, .limit) }
            return try reference(object, start, size: Int(size) + 1)
        case Kind.array, Kind.dictionary: return try container(object, start, depth: depth + 1)
        default: throw failure(object, "Settings can't hold values of this kind.", .unsupportedValue)
        }
    }

    // MARK: - Positions

    private func failure(_ object: Int, _ reason: String, _ rule: FormatError.Rule = .syntax) -> FormatError {
        FormatError(rule, atByte: (try? offset(of: object)) ?? tableOffset, reason)
    }

    private func unfolding(_ object: Int) -> FormatError {
        failure(object, "The file refers to the same values so often that it expands to too many.", .limit)
    }

    private mutating func spend(_ value: SettingValue, _ object: Int) throws(FormatError) {
        switch value {
        case .string(let text): remainingBytes -= text.utf8.count
        case .data(let data): remainingBytes -= data.count
        default: break
        }
        guard remainingValues >= 0, remainingBytes >= 0 else { throw unfolding(object) }
    }

    private func offset(of object: Int) throws(FormatError) -> Int {
        guard object < objectCount else {
            throw FormatError(
                .syntax, atByte: tableOffset, "There is no object \(object): the file has \(objectCount).")
        }
        let entry = tableOffset + object * offsetSize
        guard let offset = Self.integer(bytes, at: entry, size: offsetSize), offset < tableOffset,
            offset >= BinaryPropertyListFormat.magic.count
        else {
            throw FormatError(.syntax, atByte: entry, "The offset of an object points outside of the objects.")
        }
        return offset
    }

    /// The unsigned big-endian number at an offset; `nil` if it exceeds all sizes.
    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        Int(exactly: bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// The `size` bytes at `start`, if the file has them.
    private func payload(_ object: Int, at start: Int, size: Int) throws(FormatError) -> ArraySlice<UInt8> {
        guard start <= tableOffset, size <= tableOffset - start else {
            throw failure(object, "A value reaches beyond the end of the objects.")
        }
        return bytes[start..<(start + size)]
    }

    /// The number of elements after a marker, and where they start.
    private func count(_ object: Int, _ start: Int) throws(FormatError) -> (count: Int, start: Int) {
        let short = bytes[start] & 0x0F
        guard short == 0x0F else { return (Int(short), start + 1) }
        let marker = try payload(object, at: start + 1, size: 1)[start + 1]
        guard marker >> 4 == Kind.integer, marker & 0x0F <= 3 else {
            throw failure(object, "A size is expected after the marker.")
        }
        let size = 1 << Int(marker & 0x0F)
        _ = try payload(object, at: start + 2, size: size)
        guard let count = Self.integer(bytes, at: start + 2, size: size) else {
            throw failure(object, "A value reaches beyond the end of the objects.")
        }
        return (count, start + 2 + size)
    }
}

// MARK: - Kinds

extension BinaryPropertyListReader {
    private func simpleValue(_ object: Int, marker: UInt8) throws(FormatError) -> SettingValue {
        switch marker {
        case Kind.null: .null
        case Kind.false: .bool(false)
        case Kind.true: .bool(true)
        default: throw failure(object, "Settings can't hold values of this kind.", .unsupportedValue)
        }
    }

    /// Up to 4 bytes are unsigned, 8 and 16 are signed.
    private func integer(_ object: Int, _ start: Int, sizeExponent: UInt8) throws(FormatError) -> SettingValue {
        guard sizeExponent <= 4 else { throw failure(object, "An integer has more than 16 bytes.") }
        let payload = try payload(object, at: start + 1, size: 1 << Int(sizeExponent))
        let bits = payload.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch sizeExponent {
        case 0...2: return .integer(Int64(bits))
        case 3: return .integer(Int64(bitPattern: UInt64(bits)))
        default:
            let value = Int128(bitPattern: bits)
            return Int64(exactly: value).map(SettingValue.integer) ?? .number(String(value))
        }
    }

    private func real(_ object: Int, _ start: Int, sizeExponent: UInt8) throws(FormatError) -> Double {
        guard sizeExponent == 2 || sizeExponent == 3 else {
            throw failure(object, "A real must have 4 or 8 bytes.")
        }
        let payload = try payload(object, at: start + 1, size: 1 << Int(sizeExponent))
        let bits = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return sizeExponent == 3 ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(bits)))
    }

    private func reference(_ object: Int, _ start: Int, size: Int) throws(FormatError) -> SettingValue {
        let payload = try payload(object, at: start + 1, size: size)
        let number = payload.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        guard let number = UInt32(exactly: number) else { throw failure(object, "A reference has too large a number.") }
        return .dictionary([PropertyListDialect.referenceKey: .integer(Int64(number))])
    }

    private func date(_ object: Int, _ start: Int, sizeExponent: UInt8) throws(FormatError) -> SettingValue {
        let seconds = try real(object, start, sizeExponent: sizeExponent)
        guard sizeExponent == 3, seconds.isFinite else {
            throw failure(object, "A date must be 8 bytes and finite.", .unsupportedValue)
        }
        return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    private func bytesValue(_ object: Int, _ start: Int) throws(FormatError) -> SettingValue {
        guard bytes[start] >> 4 == Kind.data else { return dialect.value(of: try text(object, start)) }
        let (count, contentStart) = try count(object, start)
        return .data(Data(try payload(object, at: contentStart, size: count)))
    }

    private func text(_ object: Int, _ start: Int) throws(FormatError) -> String {
        let (count, contentStart) = try count(object, start)
        switch bytes[start] >> 4 {
        case Kind.ascii:
            let content = try payload(object, at: contentStart, size: count)
            guard content.allSatisfy({ $0 < 0x80 }) else {
                throw failure(object, "An ASCII string has other bytes.", .encoding)
            }
            return String(decoding: content, as: UTF8.self)
        default:
            guard count <= bytes.count else { throw failure(object, "A value reaches beyond the end of the objects.") }
            let content = try payload(object, at: contentStart, size: 2 * count)
            let units = (0..<count).map { index in
                UInt16(content[contentStart + 2 * index]) << 8 | UInt16(content[contentStart + 2 * index + 1])
            }
            guard let text = String(validating: units, as: UTF16.self) else {
                throw failure(object, "A string is not in UTF-16.", .encoding)
            }
            return text
        }
    }

    private mutating func container(_ object: Int, _ start: Int, depth: Int) throws(FormatError) -> SettingValue {
        guard depth <= SettingValue.depthLimit else { throw failure(object, SettingValue.depthReason, .limit) }
        guard openObjects.insert(object).inserted else { throw failure(object, "An object contains itself.") }
        defer { openObjects.remove(object) }
        let (count, first) = try count(object, start)
        guard count <= bytes.count else { throw failure(object, "A value reaches beyond the end of the objects.") }
        let isDictionary = bytes[start] >> 4 == Kind.dictionary
        _ = try payload(object, at: first, size: (isDictionary ? 2 : 1) * count * referenceSize)
        // Containers of a deep nest may all use the same bytes for their references.
        let room = depth <= 2 ? count : min(count, Self.trustedCount)
        guard isDictionary else {
            var elements: [SettingValue] = []
            elements.reserveCapacity(room)
            for index in 0..<count { elements.append(try value(of: reference(first, index), depth: depth)) }
            return .array(elements)
        }
        var entries = SettingValue.Entries(minimumCapacity: room)
        for index in 0..<count {
            let key = try key(reference(first, index))
            let value = try value(of: reference(first, count + index), depth: depth)
            guard duplicateKeys.set(value, forKey: key, in: &entries) else {
                throw failure(object, "The key “\(key)” occurs twice.", .duplicateKey)
            }
        }
        return .dictionary(entries)
    }

    private mutating func key(_ object: Int) throws(FormatError) -> String {
        let start = try offset(of: object)
        guard [Kind.ascii, Kind.utf16].contains(bytes[start] >> 4) else {
            throw failure(object, "A key must be a string.")
        }
        // Depth 0 is enough: strings contain no other values. A key is read literally, even where the same string is
        // another value.
        if case .string(let key) = try value(of: object, depth: 0), key.utf8.first != UInt8(ascii: "$") { return key }
        return try text(object, start)
    }

    /// The `index`th object number of those that start at `first`. A number that is too large refers to no object.
    private func reference(_ first: Int, _ index: Int) -> Int {
        Self.integer(bytes, at: first + index * referenceSize, size: referenceSize) ?? .max
    }
}
