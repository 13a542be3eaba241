import Settle

/// How settings are spelled as keys of etcd.
///
///     /fleet/limits/passcode.attemptCount        a setting: the prefix and its key, with the value as JSON
///     /fleet/limits/$settle/markers/3f…          what the client has stored last
///     /fleet/limits/$settle/locks/NAME           a named lock, with the lease of its holder
struct KeySpace: Sendable, Equatable {
    let prefix: String

    init(prefix: String) {
        self.prefix = prefix.hasSuffix("/") ? prefix : prefix + "/"
    }

    private static let own = "$settle/"
    private static let markers = own + "markers/"
    private static let locks = own + "locks/"

    /// The key of etcd for a name, which is what stands behind the prefix.
    func key(_ name: String) -> [UInt8] { Array((prefix + name).utf8) }

    var range: (key: [UInt8], end: [UInt8]) { (key(""), Self.end(of: key(""))) }

    /// Asks for all keys.
    ///
    /// - Parameters:
    ///   - revision: As of which revision; 0 for now.
    ///   - known: Only those that have changed after this revision.
    func all(at revision: Int64 = 0, after known: Int64 = -1, keysOnly: Bool = false) -> RangeRequest {
        RangeRequest(
            key: range.key, end: range.end, revision: revision, minModRevision: known + 1, keysOnly: keysOnly)
    }

    /// What stands behind the prefix; `nil` if that is no text.
    func name(of key: [UInt8]) -> String? {
        let start = prefix.utf8
        guard key.starts(with: start) else { return nil }
        return String(validating: key.dropFirst(start.count), as: UTF8.self)
    }

    static func marker(_ client: String) -> String { markers + client }
    static func lock(_ name: String) -> String { locks + name }

    enum Kind: Equatable {
        case setting(SettingKey)
        case marker(client: String)
        case lock(String)
        /// Something of others, which is kept.
        case unknown
    }

    static func kind(of name: String) -> Kind {
        if name.hasPrefix(markers) { return .marker(client: String(name.dropFirst(markers.count))) }
        if name.hasPrefix(locks) { return .lock(String(name.dropFirst(locks.count))) }
        guard !name.hasPrefix(own), let key = SettingKey(name), key.description.utf8.elementsEqual(name.utf8) else {
            return .unknown
        }
        return .setting(key)
    }

    static func isSetting(_ name: String) -> Bool { if case .setting = kind(of: name) { true } else { false } }

    static func isOwn(_ key: SettingKey) -> Bool { key.description.hasPrefix(own) }

    /// The keys within another one: from this key to the one before the end.
    func within(_ key: SettingKey) -> (key: [UInt8], end: [UInt8]) {
        let first = self.key(key.description + ".")
        return (first, Self.end(of: first))
    }

    /// The first key behind all that begin with these bytes. The last of them is never 255, which no text ends with.
    private static func end(of bytes: [UInt8]) -> [UInt8] {
        var end = bytes
        if let last = end.popLast() { end.append(last + 1) }
        return end
    }
}
