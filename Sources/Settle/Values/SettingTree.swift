/// The values of a store as its file nests them, addressed by dotted keys.
///
/// `"passcode.attemptCount"` addresses the value under `attemptCount` in the dictionary under `passcode`.
public struct SettingTree: Sendable, Hashable {
    public var root: [String: SettingValue]

    public init(_ root: [String: SettingValue] = [:]) {
        self.root = root
    }

    /// The value at a dotted key; setting `nil` removes it, and with it the dictionaries that it leaves empty.
    ///
    /// Setting a value below something that is not a dictionary replaces that something.
    public subscript(key: String) -> SettingValue? {
        get {
            guard let dot = key.utf8.firstIndex(of: 0x2E) else { return root[key] }
            guard case .dictionary(let inner)? = root[String(key[..<dot])] else { return nil }
            return SettingTree(inner)[String(key[key.index(after: dot)...])]
        }
        set {
            guard let dot = key.utf8.firstIndex(of: 0x2E) else {
                root[key] = newValue
                return
            }
            let head = String(key[..<dot])
            let rest = String(key[key.index(after: dot)...])
            // The dictionary is taken out before it is changed, so that it is changed in place and not copied.
            var inner: SettingTree
            if case .dictionary(let values)? = root[head] {
                inner = SettingTree(values)
                root[head] = .null
            } else {
                guard newValue != nil else { return }
                inner = SettingTree()
            }
            inner[rest] = newValue
            root[head] = inner.root.isEmpty ? nil : .dictionary(inner.root)
        }
    }

    /// Whether a key has a dot. It looks at all bytes without a branch, which is faster than stopping at the first dot.
    static func isNested(_ key: String) -> Bool {
        let found = key.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.reduce(into: false) { found, byte in found = (byte == 0x2E) || found }
        }
        return found ?? key.utf8.contains(0x2E)
    }
}
