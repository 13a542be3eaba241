import Settle

/// The rest of an etcd key after the prefix. This type alone decides which names are equal, and what a name refers to.
///
/// Names are compared by their bytes, as etcd compares keys and Settle compares a `SettingKey`. So the two spellings of
/// "é" are two keys and two settings. A name need not be UTF-8.
struct KeyName: Sendable, Hashable, Comparable {
    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    init(_ text: String) { self.init(text.utf8) }

    init(_ key: SettingKey) { self.init(key.description) }

    /// The name as UTF-8, with a replacement character for each invalid byte.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    static func < (left: KeyName, right: KeyName) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension KeyName: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}

extension KeyName {
    /// The spelling of this name beside another one that equals it as a `String`: its bytes, as in `caf%C3%A9`.
    var spelledOut: String {
        bytes.map { byte in
            let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "%")
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }

    /// Returns messages by names, for display. Names that are equal as `String`s are spelled out.
    static func byText(_ reasons: [KeyName: String]) -> [String: String] {
        var found: [String: String] = [:]
        for (text, names) in Dictionary(grouping: reasons.keys, by: \.text) {
            for name in names { found[names.count == 1 ? text : name.spelledOut] = reasons[name] }
        }
        return found
    }
}

// MARK: What it stands for

extension KeyName {
    enum Kind: Equatable {
        case setting(SettingKey)
        case marker(client: String)
        case lock(String)
        /// The key that every transaction of a client moves.
        case head
        /// The schema of the settings.
        case schema
        /// A marker, lock, head or schema of a client whose prefix is this one with the rest of a name.
        case nested(prefix: KeyName)
        /// A key that another program has stored. The text gives the reason that it is not a setting. It is left
        /// unchanged.
        case unknown(String)
    }

    private static let own = Array("$settle/".utf8)
    private static let markers = own + Array("markers/".utf8)
    private static let locks = own + Array("locks/".utf8)
    private static let schemaBytes = own + Array("schema".utf8)
    private static let headBytes = own + Array("head".utf8)

    static let schema = KeyName(schemaBytes)
    static let head = KeyName(headBytes)

    static func marker(_ client: String) -> KeyName { KeyName(markers + Array(client.utf8)) }
    static func lock(_ name: String) -> KeyName { KeyName(locks + Array(name.utf8)) }

    var kind: Kind {
        guard let text = String(validating: bytes, as: UTF8.self) else { return .unknown("its name is not UTF-8") }
        if let client = rest(after: Self.markers) { return .marker(client: client) }
        if let lock = rest(after: Self.locks) { return .lock(lock) }
        if bytes == Self.schemaBytes { return .schema }
        if bytes == Self.headBytes { return .head }
        if let inner = nestedPrefix { return .nested(prefix: inner) }
        // A key has one spelling: another text with the same meaning is not the setting's name.
        guard !isOwn, let key = SettingKey(text), KeyName(key) == self else {
            return .unknown("its name is not a setting's key")
        }
        return .setting(key)
    }

    var isSetting: Bool { if case .setting = kind { true } else { false } }

    /// Whether the storage reserves the name.
    var isOwn: Bool { bytes.starts(with: Self.own) || nestedPrefix != nil }

    /// The part before the name of a marker, lock, head or schema, with the slash.
    private var nestedPrefix: KeyName? {
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "/") {
            let rest = bytes[(index + 1)...]
            let isSingle = rest == Self.schemaBytes[...] || rest == Self.headBytes[...]
            if isSingle || rest.starts(with: Self.markers) || rest.starts(with: Self.locks) {
                return KeyName(bytes[...index])
            }
        }
        return nil
    }

    private func rest(after start: [UInt8]) -> String? {
        bytes.starts(with: start) ? String(decoding: bytes.dropFirst(start.count), as: UTF8.self) : nil
    }
}
