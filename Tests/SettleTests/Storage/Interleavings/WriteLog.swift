/// Which values a key may have, whatever the order of the calls was: those of writes that no other has followed for
/// certain.
///
/// A write takes place at some time between its start and its end, which are steps of the schedule. An edit by a person
/// comes before what is written once a process has merged it. What somebody has done to the files themselves, such as
/// putting a backup in their place, leaves it open which of the values before it come back.
struct WriteLog: Sendable {
    /// Finds a write again.
    struct Ticket: Sendable {
        fileprivate var key: String
        fileprivate var index: Int
    }

    fileprivate struct Write: Sendable {
        var value: Int64?
        /// The process; `nil` for a person.
        var author: Int?
        var start: Int
        /// What starts later comes after it.
        var end = Int.max
        var isRunning = false
        /// Whether it has taken place for certain, and nobody has disturbed the files since.
        var isCertain = false
        var isStable = false
        /// When it was put into the files without a program, until a process has merged it.
        var pending: Int?
    }

    private var writes: [String: [Write]] = [:]
    /// When each sync began that was acknowledged, and by which process. What that had written before is stable, and
    /// what all had if it was an append, which comes behind it.
    private var syncs: [(start: Int, author: Int?)] = []

    init(_ values: [String: Int64?]) {
        for (key, value) in values {
            writes[key] = [Write(value: value, start: -1, end: -1, isCertain: true, isStable: true)]
        }
    }

    var keys: [String] { writes.keys.sorted() }

    // MARK: Processes

    mutating func begin(_ value: Int64?, at key: String, _ time: Int, by author: Int) -> Ticket {
        writes[key, default: []].append(Write(value: value, author: author, start: time, isRunning: true))
        return Ticket(key: key, index: writes[key, default: []].count - 1)
    }

    /// - Parameter isCertain: Whether the write is known to have taken place.
    mutating func end(_ ticket: Ticket, _ time: Int, isCertain: Bool, isStable: Bool) {
        guard var write = writes[ticket.key]?[ticket.index], write.isRunning else { return }
        write.isRunning = false
        if write.pending == nil { (write.end, write.isCertain, write.isStable) = (time, isCertain, isStable) }
        writes[ticket.key]?[ticket.index] = write
    }

    /// - Parameter author: If only what that process has written is stable.
    mutating func didSynchronize(from start: Int, of author: Int? = nil) { syncs.append((start, author)) }

    /// After a removal that may not count, the values before it need not be there either.
    mutating func doubt(_ ticket: Ticket) {
        for index in writes[ticket.key, default: []].indices.prefix(ticket.index) {
            writes[ticket.key]?[index].isCertain = false
            if writes[ticket.key]?[index].isRunning == false { writes[ticket.key]?[index].end = .max }
        }
    }

    // MARK: People

    /// - Parameter isCertain: Whether it must be merged, as what somebody has just typed.
    mutating func edit(_ value: Int64?, at key: String, _ time: Int, isCertain: Bool, isStable: Bool = true) {
        // What has been edited before stood in the same file.
        for (index, write) in writes[key, default: []].enumerated() where write.pending != nil && write.author == nil {
            if isCertain { writes[key]?[index].end = time } else { writes[key]?[index].isCertain = false }
        }
        writes[key, default: []].append(
            Write(value: value, start: time, isCertain: isCertain, isStable: isCertain && isStable, pending: time))
    }

    /// Somebody has removed the file, and with it what had been edited there and no process had merged yet.
    mutating func removeEdits() {
        for key in keys {
            for index in writes[key, default: []].indices where writes[key]?[index].pending != nil {
                writes[key]?[index].isCertain = false
            }
        }
    }

    /// Somebody has removed files that nobody keeps, or replaced some by a backup: any value may come back that a key
    /// has ever had, be it from a copy, from a file that has no name any more, or from a process that knew it.
    mutating func disturb(_ time: Int) {
        for key in keys {
            for index in writes[key, default: []].indices {
                guard var write = writes[key]?[index] else { continue }
                (write.isCertain, write.isStable, write.pending, write.end) = (false, false, time, .max)
                writes[key]?[index] = write
            }
            edit(nil, at: key, time, isCertain: false)
        }
    }

    /// A process has looked at everything.
    mutating func didLook(from start: Int, to end: Int) {
        for key in keys {
            for (index, write) in writes[key, default: []].enumerated() {
                guard !write.isRunning, let pending = write.pending, pending < start else { continue }
                writes[key]?[index].end = min(write.end, end)
                writes[key]?[index].pending = nil
            }
        }
    }

    // MARK: Questions

    /// - Parameter afterPowerLoss: Whether only what was stable counts as certain.
    func possibleValues(at key: String, afterPowerLoss: Bool) -> Set<Int64?> {
        let latest = latestStart(at: key) { write in
            let isStable =
                write.isStable
                || syncs.contains { sync in
                    sync.start >= write.end && (sync.author == nil || sync.author == write.author)
                }
            return write.isCertain && (!afterPowerLoss || isStable)
        }
        return Set(writes[key, default: []].filter { $0.isPossible(after: latest) }.map(\.value))
    }

    private func latestStart(at key: String, _ isCertain: (Write) -> Bool) -> Int {
        writes[key, default: []].filter(isCertain).map(\.start).max() ?? .min
    }
}

extension WriteLog.Write {
    /// - Parameter start: When the latest write began that has taken place for certain.
    fileprivate func isPossible(after latest: Int) -> Bool { end > latest || start == latest }
}
