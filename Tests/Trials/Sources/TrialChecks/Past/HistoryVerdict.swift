/// Compares a history, and what its follower received, with what the writers have acknowledged.
public struct HistoryVerdict: Sendable {
    /// Acknowledged transactions that the history lacks, and those that the follower did not receive.
    public private(set) var lost: [String] = []
    /// Transactions that occur more than once.
    public private(set) var doubled: [String] = []
    /// Transactions at another position than the one at which they were made.
    public private(set) var disordered: [String] = []
    /// Transactions with another name, program or process than those that made them.
    public private(set) var wrongAuthors: [String] = []
    /// Transactions that nobody has made.
    public private(set) var invented: [String] = []

    public var sentences: [String] { lost + doubled + disordered + wrongAuthors + invented }

    /// - Parameters:
    ///   - writers: The writers by their number.
    ///   - program: The name of the program that they all are.
    ///   - history: All transactions, oldest first.
    ///   - glances: The newest transactions as read while others were made, each oldest first.
    public init(
        _ writers: [AuthorRecord], program: String, history: [ReportedTransaction], follower: FollowerRecord,
        glances: [[ReportedTransaction]] = []
    ) {
        checkOrder(history, "The history", after: 0)
        checkSteps(history)
        for transaction in history { check(transaction, writers, program) }
        checkCompleteness(history, writers)
        check(follower, history)
        for glance in glances {
            checkOrder(glance, "A read", after: glance.first.map { $0.position - $0.count } ?? 0)
            compare(glance, "a read", with: history)
        }
    }

    /// Each position once, and none left out.
    private mutating func checkOrder(_ received: [ReportedTransaction], _ name: String, after beginning: Int) {
        var seen: Set<Int> = []
        var last = beginning
        for transaction in received {
            let position = transaction.position
            guard seen.insert(position).inserted else {
                doubled.append("\(name) has \(transaction) again.")
                continue
            }
            if transaction.count != 1 { lost.append("\(name) has the sum of \(transaction.count) at \(position).") }
            if position < last {
                disordered.append("\(name) has \(transaction) after \(last).")
            } else if position != last + transaction.count {
                lost.append("\(name) has \(transaction) after \(last): something between them is left out.")
            }
            last = max(last, position)
        }
    }

    /// Each transaction has to start from the writer's key and the counter that the one before it has left.
    private mutating func checkSteps(_ history: [ReportedTransaction]) {
        var steps: [Int: Int] = [:]
        var total = 0
        for transaction in history {
            if let writer = transaction.writer {
                let before = steps[writer]
                if transaction.stepBefore != before {
                    disordered.append(
                        "\(transaction) replaces step \(transaction.stepBefore ?? 0), not \(before ?? 0).")
                }
                steps[writer] = transaction.step
            }
            if let found = transaction.total {
                if found != total + 1 { disordered.append("\(transaction) counts \(found) after \(total).") }
                total = found
            }
        }
    }

    private mutating func check(_ transaction: ReportedTransaction, _ writers: [AuthorRecord], _ program: String) {
        guard let writer = transaction.writer, let step = transaction.step, writers.indices.contains(writer),
            let process = writers[writer].processes[step]
        else { return invented.append("Nobody has made \(transaction).") }
        if transaction.author != transaction.expectedAuthor {
            wrongAuthors.append("\(transaction) was made by \(transaction.expectedAuthor ?? "").")
        } else if transaction.program != program || transaction.process != process {
            wrongAuthors.append(
                "\(transaction) was made by process \(process) of \(program), not by process "
                    + "\(transaction.process ?? 0) of \(transaction.program ?? "an unknown program").")
        }
    }

    private mutating func checkCompleteness(_ history: [ReportedTransaction], _ writers: [AuthorRecord]) {
        var counts: [String: Int] = [:]
        for transaction in history { counts[transaction.author, default: 0] += 1 }
        for (author, count) in counts.sorted(by: { $0.key < $1.key }) where count > 1 {
            doubled.append("The history has \(author) \(count) times.")
        }
        for (number, writer) in writers.enumerated() {
            for step in writer.commits.union(writer.savedWrites).sorted() {
                let author = ReportedTransaction.author(ofStep: step, by: number)
                if counts[author] == nil { lost.append("The history lacks \(author), which was acknowledged.") }
            }
        }
    }

    /// The follower has to receive what the history has, in its order.
    private mutating func check(_ follower: FollowerRecord, _ history: [ReportedTransaction]) {
        guard let beginning = follower.beginning else { return lost.append("The follower received nothing.") }
        checkOrder(follower.received, "The follower", after: beginning)
        compare(follower.received, "the follower", with: history)
        let received = Set(follower.received.map(\.token))
        for transaction in history where transaction.position > beginning && !received.contains(transaction.token) {
            lost.append("The follower did not receive \(transaction).")
        }
    }

    private mutating func compare(
        _ received: [ReportedTransaction], _ name: String, with history: [ReportedTransaction]
    ) {
        let known = Dictionary(history.map { ($0.token, $0) }) { first, _ in first }
        for transaction in received {
            guard let same = known[transaction.token] else {
                invented.append("The history lacks \(transaction), which \(name) has.")
                continue
            }
            if transaction.author != same.author {
                wrongAuthors.append("The history has \(same) where \(name) has \(transaction).")
            }
            if (transaction.step, transaction.total) != (same.step, same.total) {
                disordered.append("The history has other values of \(transaction) than \(name).")
            }
        }
    }
}
