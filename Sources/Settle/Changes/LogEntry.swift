/// One mutation as the log keeps it.
struct LoggedMutation: Sendable {
    let slot: SettingSlot
    let old: any Sendable
    let new: any Sendable
}

/// What the log keeps of a transaction that is more than one local write of a word.
final class LogDetails: Sendable {
    /// Never empty.
    let mutations: [LoggedMutation]
    let origin: Origin
    let writer: String?
    /// An estimate of the memory that the values take, in bytes.
    let cost: Int

    /// Whether the transaction will ever be on stable storage.
    var isPersistent: Bool {
        mutations.contains { $0.slot.schedule != nil }
    }

    init(_ mutations: [LoggedMutation], origin: Origin, writer: String?, cost: Int) {
        self.mutations = mutations
        self.origin = origin
        self.writer = writer
        self.cost = cost
    }
}

/// One transaction, as it is taken from the log.
struct LogEntry {
    let details: LogDetails
    /// Wall time, in seconds since the reference date.
    let time: Double

    /// Whether the transaction will ever be on stable storage.
    var isPersistent: Bool { details.isPersistent }

    func mutations(within channel: Channel) -> [Mutation] {
        details.mutations.filter { $0.slot.isWithin(channel) }.map(Mutation.init)
    }
}
