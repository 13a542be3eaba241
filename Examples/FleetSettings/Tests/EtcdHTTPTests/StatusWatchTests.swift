import FleetMachines
import Foundation
import Testing

@testable import fleet

/// `fleet status --watch`: the text of its table, and the program on a member of etcd.
@Suite(.serialized, .timeLimit(.minutes(10))) struct StatusWatchTests {
    private func row(_ name: String, isGood: Bool = true) -> StatusTable.Row {
        StatusTable.Row(name: name, state: isGood ? "in force" : "still has 1-2-3", program: "p 1", isGood: isGood)
    }

    @Test("A row for each machine with the bad ones marked") func machineRows() {
        let table = StatusTable(title: "Title", rows: [row("a"), row("service", isGood: false)])
        #expect(
            table.lines(width: 80, height: 24)
                == ["Title", "  a        in force  (p 1)", "! service  still has 1-2-3  (p 1)"])
    }

    @Test("What does not fit is cut and the bad ones come first") func smallTerminal() {
        let rows = (0..<50).map { row("m\($0)", isGood: $0 != 40) }
        let lines = StatusTable(title: String(repeating: "t", count: 99), rows: rows).lines(width: 20, height: 5)
        #expect(lines.count == 5 && lines.allSatisfy { $0.count < 20 })
        #expect(lines[0].hasSuffix("…") && lines[1].hasPrefix("! m40") && lines[2].hasPrefix("  m0"))
        #expect(lines[4] == "… and 47 more.")
        for (width, height) in [(1, 1), (2, 2), (3, 0)] {
            let lines = StatusTable(title: "Title", rows: rows).lines(width: width, height: height)
            #expect(lines.allSatisfy { $0.count <= max(1, width - 1) } && lines.count <= 2)
        }
    }

    @Test("Without a terminal there is a line for each change") func withoutTerminal() {
        let first = StatusTable(title: "1", rows: [row("a"), row("b")])
        #expect(first.changes(since: nil) == ["1", "a: in force (p 1)", "b: in force (p 1)"])
        #expect(first.changes(since: first) == [])
        let second = StatusTable(title: "2", rows: [row("b", isGood: false), row("c")])
        #expect(
            second.changes(since: first)
                == ["2", "b: still has 1-2-3 (p 1)", "c: in force (p 1)", "a: gone"])
    }

    @Test("The table is redrawn in place") func redrawnTable() {
        var live = LiveTable()
        #expect(live.replacement(["one", "two"], width: 80) == "\r\u{1B}[Jone\ntwo\n")
        #expect(live.replacement(["three"], width: 80) == "\u{1B}[2A\r\u{1B}[Jthree\n")
        // The terminal has become narrower, and the line takes three.
        #expect(live.replacement([], width: 2) == "\u{1B}[3A\r\u{1B}[J")
        #expect(live.replacement([], width: 2) == "\r\u{1B}[J")
    }

    @Test(
        "The program prints changes until it is interrupted",
        .enabled(if: RealCluster.isInstalled, "Debian's etcd-server is not installed."))
    func interrupted() async throws {
        let (cluster, prefix) = (try RealCluster(members: 1), "/fleet/watched/")
        try await cluster.ready()
        #expect(try FleetRun(["set", "a=1"], on: cluster, prefix: prefix).status == 0)
        let token = try #require(try FleetRun(["history"], on: cluster, prefix: prefix).tokens.first)
        // A name that a terminal would obey.
        let machine = "/fleet/watched$machines/\u{1B}[2J"
        try cluster.control("put", machine, #"{"program": "p 1", "time": 1, "token": "\#(token)"}"#)
        let program = try FleetRun.start(["status", "--watch"], on: cluster, prefix: prefix)
        var lines = program.lines.makeAsyncIterator()
        #expect(await lines.next() == "In force on 1 of 1 machines: \(token)")
        #expect(await lines.next() == "\u{FFFD}[2J: in force (p 1)")
        try cluster.control(
            "put", machine, #"{"program": "p 1", "time": 1, "token": "\#(token)", "problems": {"a": "it is odd"}}"#)
        #expect(await lines.next() == "\u{FFFD}[2J: in force, can't use “a”: it is odd (p 1)")
        let status = try FleetRun(["status"], on: cluster, prefix: prefix)
        #expect(status.lines.last == "“\u{FFFD}[2J” can't use “a”: it is odd", "\(status.output)")
        try cluster.control("del", machine)
        #expect(await lines.next() == "No machine reports what it has in force. The newest token is \(token).")
        #expect(await lines.next() == "\u{FFFD}[2J: gone")
        kill(program.id, SIGINT)
        #expect(program.wait() == 130)
    }
}
