/// The tasks of this process that hold or await named locks, one queue per name, first come, first served.
///
/// ```
///   enter ─▶ waiting ──all earlier tickets left──▶ first ──leave──▶ gone
///               └──────────────────leave────────────────────────────▲
/// ```
///
/// Only the first ticket of a queue asks the storage. Once the storage grants the lock, that ticket has access.
struct LockQueues {
    struct Ticket: Hashable, Sendable {
        let name: String
        fileprivate let number: UInt64
    }

    private var lines: [String: [Ticket]] = [:]
    private var lastNumber: UInt64 = 0

    mutating func enter(_ name: String) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(name: name, number: lastNumber)
        lines[name, default: []].append(ticket)
        return ticket
    }

    func isFirst(_ ticket: Ticket) -> Bool {
        lines[ticket.name]?.first == ticket
    }

    /// - Returns: The new first ticket, if the first has changed.
    mutating func leave(_ ticket: Ticket) -> Ticket? {
        let wasFirst = isFirst(ticket)
        lines[ticket.name]?.removeAll { $0 == ticket }
        let next = lines[ticket.name]?.first
        if next == nil { lines[ticket.name] = nil }
        return wasFirst ? next : nil
    }
}
