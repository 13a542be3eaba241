import Settle

/// Writes the events of one stream, and remembers what its client knows.
///
/// It reports the file's values and the values in force instead separately. The former have a history: each `change`
/// has a token, from which a client resumes. The latter have none, so `covered` always has all of them, as they are
/// when it is sent. In whichever order the two arrive, a client that puts one over the other ends with the values in
/// force.
struct StreamNarrator: Sendable {
    private let stream: ChangeEventStream
    /// The values in force instead of the file's, as the client knows them.
    private var covered: [SettingValue] = []
    /// Whether the stream's client knows a token of the history.
    private var hasToken: Bool
    /// Whether some of the file's values can't be used, as far as the client knows.
    private var hasProblems = false

    init(_ stream: ChangeEventStream) {
        self.stream = stream
        hasToken = stream.start != .snapshot
    }

    private var store: SettingsStore { stream.parts.store }
    private var client: APIClient { stream.client }

    /// Returns the first event.
    mutating func beginning() -> String {
        _ = readCovered()
        return coveredEvent().text
    }

    /// Returns the events of a transaction of the history.
    ///
    /// - Parameter isLost: Whether the client has lost its token with it.
    mutating func stored(_ change: Change, isLost: inout Bool) -> String {
        defer { hasToken = true }
        guard change.snapshot != nil else {
            let event = change.json(for: client, in: store).map { json in
                ServerSentEvent.event(
                    name: "change", id: change.token?.description, data: SettingValue.dictionary(json).jsonText)
            }
            return (event?.text ?? "") + problems(after: change)
        }
        isLost = hasToken
        return snapshotEvent(change, isLoss: hasToken).text + problems(after: nil)
    }

    /// Returns the events of a transaction of this process, of any domain, when it was made.
    mutating func inForce(_ change: Change) -> String {
        // Those of the file arrive with their token, once they have one.
        guard change.domain != .application || change.missed != .nothing else { return "" }
        let hasChanged = readCovered()
        let json = change.domain == .application ? nil : change.json(for: client, in: store)
        guard hasChanged || json != nil else { return "" }
        return coveredEvent(after: json).text
    }

    /// Returns what shows that the stream is alive.
    mutating func heartbeat() -> String {
        // Nothing is reported when a value of the file turns out not to be usable.
        readCovered() ? coveredEvent().text : ServerSentEvent.comment("still here").text
    }

    /// A value of the file that can't be used is not in force, until a usable one replaces it.
    private mutating func problems(after change: Change?) -> String {
        let mayDiffer = change?.mutations.contains { store.state(forKey: $0.key)?.problem != nil } ?? true
        guard hasProblems || mayDiffer, readCovered() else { return "" }
        return coveredEvent().text
    }

    /// The values in the file at a change that reports a gap, to begin from.
    ///
    /// - Parameter isLoss: Whether the client knew an earlier token, so that it has missed changes.
    private func snapshotEvent(_ change: Change, isLoss: Bool) -> ServerSentEvent {
        var values: SettingValue.Entries = [:]
        for setting in stream.parts.settings(for: client) where !setting.isSecret {
            values[setting.key] = change.snapshot?[setting.key] ?? setting.defaultValue ?? .null
        }
        let json: SettingValue.Entries = ["missed": .bool(isLoss), "values": .dictionary(values)]
        return .event(
            name: "snapshot", id: change.token?.description, data: SettingValue.dictionary(json).jsonText)
    }

    /// The settings of which another value is in force than the file's.
    ///
    /// - Parameter change: The change of another domain that was the reason, if one was.
    private func coveredEvent(after change: SettingValue.Entries? = nil) -> ServerSentEvent {
        var json: SettingValue.Entries = ["settings": .array(covered)]
        if let change { json["change"] = .dictionary(change) }
        return .event(name: "covered", id: nil, data: SettingValue.dictionary(json).jsonText)
    }

    /// - Returns: Whether it differs from what the client knows.
    private mutating func readCovered() -> Bool {
        // A store that has closed has nothing more to report.
        guard let listing = try? Listing(of: store, for: client) else { return false }
        let now = listing.covered
        defer { covered = now }
        hasProblems = listing.entries.contains { $0.info.problem != nil }
        return now != covered
    }

    static let coveredSchema = Schema.object(
        ["settings": .array(of: .component("Setting"))], optional: ["change": .component("ChangeEvent")])

    static let snapshotSchema = Schema.object(["missed": .boolean, "values": .anyObject])
}
