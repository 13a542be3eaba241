import Settle

/// The data that a client puts into each of its transactions beside the values, at a key of its own.
///
///     {"session": "8f…", "store": "4711…", "batch": "12", "author": "carol", "time": 785160000.5}
///
/// A transaction compares the revision of the marker and writes it. So of two transactions that have seen the same
/// marker only one can land, and every reader of the marker knows which.
struct Marker: Sendable, Equatable {
    /// A random number, chosen each time the client starts.
    var session: UInt64
    /// The client's last stored batch; `nil` if there is none yet.
    var batch: StorageBatch.ID?
    var author: String?
    /// The time of that batch by the client's clock, in seconds since 2001-01-01 00:00 UTC.
    var time: Double?
    /// Further details, if the client keeps a history.
    var details = TransactionDetails()
    /// The number of a barrier transaction, which only replaced the marker, so that nothing earlier can land any more.
    var barrier: UInt64?

    var bytes: [UInt8] {
        var entries = details.entries
        entries["session"] = .gateway(session)
        if let batch {
            entries["store"] = .gateway(batch.store)
            entries["batch"] = .gateway(batch.number)
        }
        if let author { entries["author"] = .string(author) }
        if let time { entries["time"] = .real(time) }
        if let barrier { entries["barrier"] = .gateway(barrier) }
        return GatewayObject(entries).json
    }
}

extension Marker {
    /// - Returns: `nil` for a value that no client has written.
    init?(_ bytes: [UInt8]) {
        guard let object = GatewayObject(bytes), object.entries["session"] != nil else { return nil }
        session = object.unsigned("session")
        if object.entries["batch"] != nil {
            batch = object.batch
        }
        author = object.name("author")
        time = object.real("time")
        details = TransactionDetails(object)
        if object.entries["barrier"] != nil { barrier = object.unsigned("barrier") }
    }
}
