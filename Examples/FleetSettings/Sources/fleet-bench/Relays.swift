import ArgumentParser
import EtcdHTTP
import FleetMachines
import Foundation
import Settle
import Synchronization

/// One relay, and many programs that have its file open.
struct Relays {
    let programs: Int

    func measure(_ transport: EtcdHTTPTransport) async throws {
        let bench = try await Bench(members: 3, transport)
        let folder = try TemporaryFolder("settle-relay")
        let file = folder.path("settings.json")
        let store = try await bench.open("/bench/relay/")
        let settings = try await store.group(Bench.Counter.self)
        try await settings.commit { settings.count = 1 }
        let program = URL(filePath: try LocalNetwork.thisProgram())
        let relay = try ChildProgram(
            program.deletingLastPathComponent().appending(path: "fleet").path,
            [
                "relay", "--file", file, "--endpoints", bench.cluster.endpoints.joined(separator: ","), "--prefix",
                "/bench/relay/",
            ])
        var ready = relay.lines.makeAsyncIterator()
        guard await ready.next() != nil else { throw MachineError("The relay has ended.") }
        let board = Board()
        var children: [ChildProgram] = []
        for _ in 0..<programs {
            let child = try ChildProgram(program.path, ["follow", "--file", file])
            children.append(child)
            Task { for await line in child.lines { board.add(line) } }
        }
        guard await MonotonicTime.wait(atMost: .seconds(120), for: { board.times(of: 1).count == self.programs }) else {
            throw MachineError("\(board.times(of: 1).count) of \(programs) programs have begun.")
        }
        var (first, last): ([Int], [Int]) = ([], [])
        for number in 2...21 {
            let start = MonotonicTime.now()
            try await settings.commit { settings.count = number }
            guard
                await MonotonicTime.wait(atMost: .seconds(60), for: { board.times(of: number).count == self.programs })
            else { throw MachineError("\(board.times(of: number).count) of \(programs) programs have seen \(number).") }
            let times = board.times(of: number)
            first.append((times.min() ?? 0) - start)
            last.append((times.max() ?? 0) - start)
            try await Task.sleep(for: .milliseconds(100))
        }
        Table.row("a commit through a relay until the first program has it", Table.milliseconds(first.median))
        Table.row(
            "  until all \(programs) processes have it",
            "\(Table.milliseconds(last.median)), longest \(Table.milliseconds(last.max() ?? 0))")
        Table.row("  memory of the relay", "\(relay.residentBytes >> 20) MiB")
        for child in children { child.kill() }
        relay.kill()
        try await store.close()
    }

    /// When which program has seen what.
    private final class Board: Sendable {
        private let seen = Mutex<[Int: [Int]]>([:])

        func add(_ line: String) {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2 else { return }
            seen.withLock { $0[numbers[0], default: []].append(numbers[1]) }
        }

        func times(of value: Int) -> [Int] { seen.withLock { $0[value] ?? [] } }
    }
}

extension FleetBench {
    /// A program that follows a file.
    struct Follow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(shouldDisplay: false)
        @Option var file: String

        func run() async throws {
            let store = try await SettingsStore.open(at: URL(filePath: file))
            let settings = try await store.group(Bench.Counter.self)
            for await count in settings.$count {
                FileHandle.standardOutput.write(Data("\(count) \(MonotonicTime.now())\n".utf8))
            }
        }
    }
}
