import Settle
import SettleEtcd

/// What `fleet status --watch` shows: each machine and what it has in force. Pure.
struct StatusTable: Equatable {
    struct Row: Equatable {
        var name: String
        var state: String
        var program: String
        /// Whether the newest values are in force, and all of them can be used.
        var isGood: Bool

        /// For an output that is no terminal.
        fileprivate var line: String { "\(name): \(state) (\(program))" }
    }

    var title: String
    var rows: [Row]

    /// Returns the lines for a terminal. If the machines don't fit, the bad ones come first.
    ///
    /// - Parameters:
    ///   - width: The characters of a line; one is left free, since a full line makes some terminals begin another.
    ///   - height: The most lines.
    func lines(width: Int, height: Int) -> [String] {
        let room = max(1, height - 1)
        var shown = rows
        var rest: [String] = []
        if rows.count > room {
            let chosen = (rows.filter { !$0.isGood } + rows.filter(\.isGood)).prefix(max(0, room - 1))
            shown = Array(chosen)
            rest = ["… and \(rows.count - shown.count) more."]
        }
        let column = min(Self.nameLimit, shown.map(\.name.count).max() ?? 0)
        let table = shown.map { row in
            let name = row.name.cut(to: column)
            let gap = String(repeating: " ", count: column - name.count + 2)
            return "\(row.isGood ? " " : "!") \(name)\(gap)\(row.state)  (\(row.program))"
        }
        return ([title] + table + rest).map { $0.cut(to: max(1, width - 1)) }
    }

    private static let nameLimit = 32

    /// Returns a line for each difference, for an output that is no terminal.
    func changes(since old: StatusTable?) -> [String] {
        let before = Dictionary((old?.rows ?? []).map { ($0.name, $0) }) { first, _ in first }
        let names = Set(rows.map(\.name))
        var lines = title == old?.title ? [] : [title]
        lines += rows.filter { before[$0.name] != $0 }.map(\.line)
        return lines + (old?.rows ?? []).filter { !names.contains($0.name) }.map { "\($0.name): gone" }
    }
}

extension StatusTable {
    init(_ machines: Machines) {
        let (all, behind) = (machines.all.count, machines.behind.count)
        title =
            all == 0
            ? "\(machines.nobody) The newest token is \(machines.token)."
            : "In force on \(all - behind) of \(all) machines: \(machines.token)"
        rows = machines.all.map { machine in
            let isBehind = !machines.has(machine)
            let has = machines.newest(of: machine).map { "still has \($0)" } ?? "has nothing yet"
            var parts = [isBehind ? has : "in force"]
            for (key, reason) in machine.problems.sorted(by: { $0.key < $1.key }) {
                parts.append("can't use “\(key)”: \(reason)")
            }
            return Row(
                name: machine.name.withoutControls, state: parts.joined(separator: ", ").withoutControls,
                program: machine.program.withoutControls, isGood: !isBehind && machine.problems.isEmpty)
        }
    }
}

extension String {
    fileprivate func cut(to count: Int) -> String {
        self.count <= count ? self : String(prefix(max(0, count - 1))) + "…"
    }
}
