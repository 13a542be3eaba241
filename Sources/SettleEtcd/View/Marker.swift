import Settle

/// What a client puts into each of its transactions beside the values, at a key of its own.
///
///     {"session": "8f…", "store": "4711…", "batch": "12", "author": "carol", "time": 785160000.5}
///
/// A transaction compares the revision of the marker and writes it. So of two transactions that have seen the same
/// marker one can land, and whoever reads the marker knows which.
struct Marker: Sendable, Equatable {
    /// Chosen at random each time the client starts.
    var session: UInt64
    /// What the client has stored last; `nil` if nothing yet.
    var batch: StorageBatch.ID?
    var author: String?
    /// When that was, by the client's clock, in seconds since 2001-01-01 00:00 UTC.
    var time: Double?
    /// More of it, if the client keeps a history.
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
    /// - Returns: `nil` for what no client has written.
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
