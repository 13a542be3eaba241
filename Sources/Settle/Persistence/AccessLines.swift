/// Who has exclusive access under a name, and who waits for it, in this process. First come, first served.
///
/// ```
///   enter ─▶ waiting ──everybody before has left──▶ first ──leave──▶ gone
///               └──────────────────leave─────────────────────────────▲
/// ```
///
/// The first of a line is the one who asks the storage, and then the one who has it.
struct AccessLines {
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

    /// - Returns: Whose turn it has become, if that has changed.
    mutating func leave(_ ticket: Ticket) -> Ticket? {
        let wasFirst = isFirst(ticket)
        lines[ticket.name]?.removeAll { $0 == ticket }
        let next = lines[ticket.name]?.first
        if next == nil { lines[ticket.name] = nil }
        return wasFirst ? next : nil
    }
}
