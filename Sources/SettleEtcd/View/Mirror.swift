import Settle

/// The contents of a cluster under a prefix at one revision. Pure: it receives the results of reads, writes and
/// watches.
///
/// Settings nest; etcd keys do not. If others have stored a value at a key and at one within it, the inner value is put
/// over the outer one.
struct Mirror: Sendable {
    enum Content: Sendable, Equatable {
        case setting(SettingKey, SettingValue)
        case marker(Marker)
        /// A lock, with its holder as the subject of a sentence.
        case lock(holder: String?)
        case head
        /// The JSON Schema of the settings.
        case schema(SettingValue)
        /// A marker, lock, head or schema of a client whose prefix is within this one.
        case nested
        /// A key that is not a setting, or whose value is not JSON or is nested too deeply; the text gives the reason.
        case unusable(String)
    }

    struct Entry: Sendable, Equatable {
        var content: Content
        var createRevision: Int64
        var modRevision: Int64
    }

    /// The changes at one revision.
    struct Update: Sendable, Equatable {
        var revision: Int64
        var puts: [GatewayPair] = []
        var deletes: [[UInt8]] = []
    }

    /// The effect of an update.
    struct Effect: Sendable, Equatable {
        /// The new values; `nil` for a removed setting.
        var values: [SettingKey: SettingValue?] = [:]
        /// The previous values.
        var replaced: [SettingKey: SettingValue] = [:]
    }

    let space: KeySpace
    private(set) var cluster: UInt64 = 0
    /// The revision up to which everything is known.
    private(set) var revision: Int64 = 0
    private(set) var entries: [KeyName: Entry] = [:]
    /// The names of the prefixes within this one that clients use, or have used.
    private(set) var nestedPrefixes: Set<KeyName> = []
    private var settings: [SettingKey: SettingValue] = [:]
    /// The settings within each key around one.
    private var within: [SettingKey: Set<SettingKey>] = [:]

    init(_ space: KeySpace) { self.space = space }

    var header: GatewayHeader { GatewayHeader(cluster: cluster, revision: revision) }

    var count: Int64 { Int64(entries.count) }

    var keys: Set<SettingKey> { Set(settings.keys) }

    /// All settings.
    var tree: SettingTree {
        var tree = SettingTree()
        tree.apply(settings.mapValues { $0 })
        return tree
    }

    /// The outcome that a load reports.
    var outcome: StorageContents.Outcome {
        guard hasHistory else { return .absent }
        let settings = unusable.filter { $0.key.isSetting }
        guard let (name, reason) = settings.min(by: { $0.key < $1.key }) else { return .intact }
        return .recovered(
            description: "\(settings.count) values under “\(space.prefix)” can't be used and are left as they are. "
                + "“\(space.prefix)\(name.text)”: \(reason)", isComplete: false)
    }

    /// Whether anything has been stored, even if it was removed again.
    private var hasHistory: Bool {
        entries.values.contains { entry in
            switch entry.content {
            case .setting, .unusable, .head: true
            case .marker(let marker): marker.batch != nil
            case .lock, .schema, .nested: false
            }
        }
    }

    /// The keys under the prefix that are not usable settings, with the reason.
    var unusable: [KeyName: String] {
        entries.compactMapValues { if case .unusable(let reason) = $0.content { reason } else { nil } }
    }

    func entry(at key: SettingKey) -> Entry? { entries[KeyName(key)] }

    /// Returns the entries at a key, and at those around and within it.
    func entries(concerning key: SettingKey) -> [Entry] {
        (key.parents + [key] + keys(within: key)).compactMap(entry)
    }

    func isStored(_ key: SettingKey) -> Bool { settings[key] != nil }

    /// Returns some of the settings.
    func keys(besides others: Set<SettingKey>, atMost count: Int) -> [SettingKey] {
        Array(settings.keys.lazy.filter { !others.contains($0) }.prefix(count))
    }

    /// Returns the settings within a key.
    func keys(within key: SettingKey) -> Set<SettingKey> { within[key] ?? [] }

    /// Returns the value at a key, including those within it, or as a part of one around it.
    func value(at key: SettingKey) -> SettingValue? {
        var tree = SettingTree()
        let parts = key.parents.filter { settings[$0] != nil } + [key] + keys(within: key).sorted()
        for part in parts { if let value = settings[part] { tree[part] = value } }
        return tree[key]
    }

    /// Returns the outermost setting around a key; `nil` if there is none.
    func outermost(around key: SettingKey) -> SettingKey? {
        key.parents.first { settings[$0] != nil }
    }

    // MARK: Changing

    /// Replaces everything with the result of a read.
    mutating func replace(with pairs: [GatewayPair], header: GatewayHeader) {
        self = Mirror(space)
        cluster = header.cluster
        revision = header.revision
        for pair in pairs { put(pair) }
    }

    /// Records that everything is known up to a revision.
    mutating func advance(to revision: Int64) { self.revision = max(self.revision, revision) }

    /// Applies the changes at a revision, unless they are known already.
    ///
    /// - Returns: The settings whose values have changed.
    mutating func apply(_ update: Update) -> Effect {
        let puts = update.puts.filter { modRevision(of: $0.key) < $0.modRevision }
        let deletes = update.deletes.filter { has($0) && modRevision(of: $0) < update.revision }
        var before: [SettingKey: SettingValue?] = [:]
        for name in (puts.map(\.key) + deletes).compactMap(space.name(of:)) {
            guard case .setting(let key) = name.kind else { continue }
            let outer = outermost(around: key) ?? key
            if before[outer] == nil { before.updateValue(value(at: outer), forKey: outer) }
        }
        for key in deletes { remove(key) }
        for pair in puts { put(pair) }
        var effect = Effect()
        // What has been written around a key has an entry of its own, with all that was there before.
        for (key, old) in before where outermost(around: key) == nil {
            let new = value(at: key)
            guard new != old else { continue }
            effect.values.updateValue(new, forKey: key)
            effect.replaced[key] = old
        }
        return effect
    }

    private mutating func put(_ pair: GatewayPair) {
        guard let name = space.name(of: pair.key) else { return }
        if case .nested(let prefix) = name.kind { nestedPrefixes.insert(prefix) }
        let content = Self.content(name, pair.value)
        entries[name] = Entry(content: content, createRevision: pair.createRevision, modRevision: pair.modRevision)
        switch content {
        case .setting(let key, let value): set(key, value)
        // Until it can be read, the previous value stays in force.
        case .unusable, .marker, .lock, .head, .schema, .nested: break
        }
    }

    private mutating func remove(_ key: [UInt8]) {
        guard let name = space.name(of: key) else { return }
        entries[name] = nil
        if case .setting(let key) = name.kind { unset(key) }
    }

    static func content(_ name: KeyName, _ bytes: [UInt8]) -> Content {
        switch name.kind {
        case .setting(let key):
            do throws(FormatError) {
                let value = try JSONDocument.read(bytes)
                // A value that is nested too deeply for its key would keep all settings from being written to a file.
                try StorableCheck.check(value, at: key)
                return .setting(key, value)
            } catch {
                return .unusable(error.rule == .limit ? "\(error)" : "its value is not JSON: \(error)")
            }
        case .marker: return Marker(bytes).map { .marker($0) } ?? .unusable("it is not a client's marker")
        case .lock: return .lock(holder: GatewayObject(bytes)?.holder)
        case .head: return .head
        case .schema:
            return GatewayObject(bytes).map { .schema(.dictionary($0.entries)) } ?? .unusable("it is not a JSON Schema")
        case .nested: return .nested
        case .unknown(let reason): return .unusable(reason)
        }
    }

    private mutating func set(_ key: SettingKey, _ value: SettingValue) {
        if settings.updateValue(value, forKey: key) != nil { return }
        for parent in key.parents { within[parent, default: []].insert(key) }
    }

    private mutating func unset(_ key: SettingKey) {
        guard settings.removeValue(forKey: key) != nil else { return }
        for parent in key.parents {
            within[parent]?.remove(key)
            if within[parent]?.isEmpty == true { within[parent] = nil }
        }
    }
}

extension Mirror {
    /// Returns the marker of a client.
    func marker(of client: String) -> (value: Marker?, modRevision: Int64) {
        guard let entry = entries[KeyName.marker(client)] else { return (nil, 0) }
        if case .marker(let marker) = entry.content { return (marker, entry.modRevision) }
        return (nil, entry.modRevision)
    }

    /// Returns the known keys that a range no longer has.
    func missing(in keys: [[UInt8]]) -> [[UInt8]] {
        let present = Set(keys)
        return entries.keys.map(space.key).filter { !present.contains($0) }
    }

    /// Returns whether keys were deleted: otherwise a read of the keys changed since would have counted more.
    func lacksDeletions(of range: RangeAnswer) -> Bool {
        count + Int64(range.pairs.count { !has($0.key) }) != range.count
    }

    private func has(_ key: [UInt8]) -> Bool {
        space.name(of: key).map { entries[$0] != nil } ?? false
    }

    /// Returns the revision of a key's last change; 0 if there is no such key.
    func modRevision(of key: [UInt8]) -> Int64 { space.name(of: key).flatMap { entries[$0]?.modRevision } ?? 0 }

    /// Returns the revision of each key whose known state differs from the cluster's; 0 for a deleted key.
    ///
    /// Changes followed after the read do not count. Changes that the read has and the stream has not delivered yet do
    /// count: a second comparison, later, shows whether they have arrived.
    func differences(from pairs: [GatewayPair], at revision: Int64) -> [[UInt8]: Int64] {
        var differences: [[UInt8]: Int64] = [:]
        for pair in pairs {
            let known = modRevision(of: pair.key)
            if known != pair.modRevision, known <= revision { differences[pair.key] = pair.modRevision }
        }
        for key in missing(in: pairs.map(\.key)) where modRevision(of: key) <= revision { differences[key] = 0 }
        return differences
    }

    /// The age of markers to remove. A client that has stored nothing for so long, such as one that was killed, does
    /// not come back for its marker.
    private static let markerAge = 30.0 * 86_400
    /// How long a client must have known that a marker does not change before it removes it.
    static let markerRest = Duration.seconds(86_400)
    /// The maximum number of markers removed together: other clients do the same.
    private static let markerLimit = 32

    /// Returns a transaction that removes the oldest markers, except the client's own.
    ///
    /// - Parameters:
    ///   - now: The wall time.
    ///   - revision: A revision that has been known for ``markerRest``.
    /// - Returns: `nil` if none is old enough.
    func removalOfOldMarkers(
        now: Double, unchangedSince revision: Int64, except client: String
    ) -> TransactionRequest? {
        let (own, oldest) = (KeyName.marker(client), now - Self.markerAge)
        let old = entries.filter { name, entry in
            guard case .marker(let marker) = entry.content, name != own, entry.modRevision <= revision else {
                return false
            }
            return (marker.time ?? oldest) < oldest
        }
        guard !old.isEmpty else { return nil }
        let chosen = old.sorted { $0.value.modRevision < $1.value.modRevision }.prefix(Self.markerLimit)
        return TransactionRequest(
            comparisons: chosen.map {
                Comparison(key: space.key($0.key), target: .modified(at: $0.value.modRevision))
            }, success: chosen.map { .delete(key: space.key($0.key)) })
    }
}
