/// Compares the history of a cluster with the answers that its clients got.
///
/// Every written value is unique, except in the registers whose values repeat: there the values are counted.
public struct ClusterVerdict: Sendable {
    /// What the cluster has stored, with its revision.
    public struct Stored: Sendable, Hashable {
        public var revision: Int
        public var register: Int
        public var value: Int

        public init(revision: Int, register: Int, value: Int) {
            self.revision = revision
            self.register = register
            self.value = value
        }
    }

    /// Acknowledged values that the cluster has never had.
    public private(set) var lost: [String] = []
    /// Values that it has stored more than once.
    public private(set) var doubled: [String] = []
    /// Values that nobody has written, that were refused, or that are in the place of others.
    public private(set) var invented: [String] = []
    /// Revisions that a follower did not receive, received twice, or received in another order.
    public private(set) var gaps: [String] = []
    /// Registers whose answers no order explains.
    public private(set) var unexplained: [String] = []
    /// Values that a holder of a lock has read, and that its commit has not found any more.
    public private(set) var overtaken: [String] = []

    public var sentences: [String] { lost + doubled + invented + unexplained + overtaken + gaps }

    /// - Parameters:
    ///   - clients: What each client has acknowledged, over all its lives.
    ///   - log: Everything that the cluster has stored, in its order.
    ///   - repeating: The registers in which values repeat. Clients only read and replace them.
    ///   - finals: The values at the end, by register, as each client and the cluster have them.
    ///   - end: When all clients had finished.
    public init(
        _ clients: [[Acknowledgement]], log: [Stored], repeating: Set<Int> = [], finals: [String: [Int: Int]], end: Int
    ) {
        check(clients, log.filter { !repeating.contains($0.register) }, except: repeating)
        let repeated = RepeatedValues(clients, in: repeating)
        lost += repeated.lost(in: log)
        doubled += repeated.doubled(in: log)
        for (client, lines) in clients.enumerated() { checkLocks(client, lines) }
        check(finals, log)
        for (client, lines) in clients.enumerated() { checkFollower(client, lines, Set(log.map(\.revision)).sorted()) }
        var histories = RegisterHistories()
        for lines in clients { histories.add(lines) }
        histories.forgetUnseen(besides: Set(log.map(\.value)), except: repeating)
        for (register, value) in Self.last(log) { histories.add(.read, of: register, found: value, at: end) }
        unexplained = histories.unexplained
    }

    private mutating func check(_ clients: [[Acknowledgement]], _ log: [Stored], except repeating: Set<Int>) {
        var outcomes: [Int: String] = [:]
        for lines in clients {
            var open: Int?
            for line in lines {
                switch line.word {
                case "call":
                    let isUnique = line.numbers.first.map { !repeating.contains($0) } ?? false
                    open = isUnique ? RegisterSpelling.operation(line.text ?? "")?.written : nil
                    if let open { outcomes[open] = "call" }
                case "answer", "refused":
                    if let value = open { outcomes[value] = line.word }
                    open = nil
                default: break
                }
            }
        }
        var seen: [Int: Stored] = [:]
        for stored in log {
            if let earlier = seen.updateValue(stored, forKey: stored.value) {
                doubled.append("\(stored.value) was stored at \(earlier.revision) and at \(stored.revision).")
            }
            switch outcomes[stored.value] {
            case nil: invented.append("Nobody has written \(stored.value), which was stored at \(stored.revision).")
            case "refused":
                invented.append(
                    "\(stored.value) was stored at \(stored.revision), but its commit was refused.")
            default: break
            }
        }
        for (value, outcome) in outcomes.sorted(by: { $0.key < $1.key }) where outcome == "answer" && seen[value] == nil
        {
            lost.append("\(value) was acknowledged and is not in the cluster's history.")
        }
    }

    private mutating func check(_ finals: [String: [Int: Int]], _ log: [Stored]) {
        let last = Self.last(log)
        for (name, values) in finals.sorted(by: { $0.key < $1.key }) {
            for (register, value) in last where values[register] != value {
                invented.append(
                    "\(name) ends with \(values[register] ?? 0) in register \(register), and the cluster's history with "
                        + "\(value).")
            }
        }
    }

    /// Nobody else has written between what a holder of a lock has read and its commit: “locked” with the register, the
    /// value that was read, and the one that the commit has found.
    private mutating func checkLocks(_ client: Int, _ lines: [Acknowledgement]) {
        for line in lines where line.word == "locked" && line.numbers.count == 3 {
            let (register, read, found) = (line.numbers[0], line.numbers[1], line.numbers[2])
            guard read != found else { continue }
            overtaken.append(
                "Client \(client) has read \(read) in register \(register) under its lock, and its commit has found "
                    + "\(found).")
        }
    }

    /// A follower has received each revision once and in order, from where it began.
    private mutating func checkFollower(_ client: Int, _ lines: [Acknowledgement], _ revisions: [Int]) {
        guard let beginning = lines.first(where: { $0.word == "began" })?.numbers.first else { return }
        var rest = revisions.filter { $0 > beginning }[...]
        for line in lines where line.word == "hole" {
            gaps.append("Client \(client) received a change that reports missed ones: \(line.text ?? "")")
        }
        for line in lines where line.word == "saw" {
            guard let position = line.numbers.last else { continue }
            if position == rest.first {
                rest.removeFirst()
            } else if let index = rest.firstIndex(of: position) {
                gaps.append("Client \(client) received \(position) without \(rest[..<index].map(String.init)).")
                rest = rest[(index + 1)...]
            } else {
                gaps.append("Client \(client) received \(position) again, or too early.")
            }
        }
        if !rest.isEmpty { gaps.append("Client \(client) did not receive \(rest.map(String.init)).") }
    }

    private static func last(_ log: [Stored]) -> [Int: Int] {
        log.reduce(into: [:]) { $0[$1.register] = $1.value }
    }
}

extension RegisterOperation {
    /// The value that it leaves, if that does not depend on what it finds.
    var written: Int? {
        switch self {
        case .write(let value), .replace(let value): value
        case .read, .exchange, .increment: nil
        }
    }
}
