import Foundation
import RedisMachines
import Settle
import SettleRedis

/// Two processes that write to one server, which is killed and stopped.
enum Trial {
    static func run(commits: Int, seconds: Int) async throws {
        let findings = try await count(commits, try RedisProcess()) + disturb(try RedisProcess(), seconds)
        if !findings.isEmpty { throw MachineError(findings.prefix(20).joined(separator: "\n")) }
    }

    /// None of the commits throws, and each is counted once.
    private static func count(_ commits: Int, _ server: RedisProcess) async throws -> [String] {
        let start = ContinuousClock.now
        let lives = try (1...2).map { try Life(server.port, $0, commits: commits / 2, seconds: 3_600) }
        let reports = lives.map { $0.report() }
        let time = ContinuousClock.now - start
        let ledger = try await Self.ledger(server)
        let thrown = reports.flatMap(\.lines).filter { $0.word != "stored" && $0.word != "ended" }
        let runs = reports.flatMap(\.lines).map(\.runs)
        print(
            "\(commits) commits of two processes in \(seconds(time)) s: \(thrown.count) have thrown, the counter is "
                + "\(ledger.count), the closures ran \(runs.reduce(0, +)) times, at most \(runs.max() ?? 0) times for one."
        )
        return thrown.prefix(1).map { "The first that has thrown: \($0.text)" }
            + (ledger.count == commits / 2 * 2 - thrown.count ? [] : ["The counter is wrong."])
    }

    /// What was acknowledged is there, once, whatever happens to the server; what was undone is not there.
    private static func disturb(_ server: RedisProcess, _ seconds: Int) async throws -> [String] {
        let proxy = try CuttingProxy(to: server.port)
        let lives = try (1...2).map { try Life(proxy.port, $0, commits: 0, seconds: seconds) }
        let (kills, stops, losses) = try await disturb(server, proxy, until: ContinuousClock.now + .seconds(seconds))
        let reports = lives.map { $0.report() }
        let ledger = try await Self.ledger(server)
        var (findings, total): ([String], Int) = ([], 0)
        for (number, report) in reports.enumerated() {
            let entries = ledger.entries["p\(number + 1)"] ?? []
            let counts = Dictionary(entries.map { ($0, 1) }, uniquingKeysWith: +)
            total += entries.count
            for line in report.lines where line.word != "ended" {
                let count = counts[line.number] ?? 0
                let isRight = line.word == "stored" ? count == 1 : line.word == "undone" ? count == 0 : count <= 1
                if !isRight { findings.append("process \(number + 1): there are \(count) of “\(line.text)”") }
            }
            if entries != entries.sorted() { findings.append("process \(number + 1): the order is wrong") }
            if !report.lines.contains(where: { $0.word == "ended" }) {
                findings.append("process \(number + 1) has not ended")
            }
        }
        if ledger.count != total { findings.append("the counter is \(ledger.count) for \(total) commits") }
        let words = reports.flatMap(\.lines).map(\.word)
        let counts = ["stored", "open", "undone"].map { word in "\(words.count { $0 == word }) \(word)" }
        print(
            "\(seconds) s with the server killed \(kills) times, stopped \(stops) times, and its answers lost \(losses) times: "
                + "\(counts.joined(separator: ", ")); \(findings.count) findings.")
        return findings
    }

    private static func disturb(
        _ server: RedisProcess, _ proxy: CuttingProxy, until end: ContinuousClock.Instant
    ) async throws -> (kills: Int, stops: Int, losses: Int) {
        var (kills, stops, losses) = (0, 0, 0)
        while ContinuousClock.now < end - .seconds(2) {
            try await Task.sleep(for: .milliseconds(.random(in: 200...600)))
            switch Int.random(in: 0..<3) {
            case 0:
                server.kill()
                try await Task.sleep(for: .milliseconds(.random(in: 0...500)))
                try server.start()
                kills += 1
            case 1:
                server.pause()
                try await Task.sleep(for: .milliseconds(.random(in: 100...1_800)))
                server.pause(false)
                stops += 1
            default:
                proxy.set(.losesAnswers)
                try await Task.sleep(for: .milliseconds(.random(in: 1...100)))
                proxy.set(.open)
                losses += 1
            }
        }
        return (kills, stops, losses)
    }

    private static func ledger(_ server: RedisProcess) async throws -> (count: Int, entries: [String: [Int]]) {
        let store = try await SettingsStore.open(storage: RedisStorage(RedisServer(port: server.port), prefix: "trial"))
        let ledger = try await store.group(Ledger.self)
        defer { withExtendedLifetime(store) {} }
        let found = (ledger.count, ledger.entries)
        try await store.close()
        return found
    }

    private static func seconds(_ time: Duration) -> Int { Int(time.components.seconds) }

    /// A child process.
    private struct Life {
        private let process = Process()
        private let output: URL

        init(_ port: Int, _ number: Int, commits: Int, seconds: Int) throws {
            output = FileManager.default.temporaryDirectory.appending(path: "redis-trial-\(UUID().uuidString)")
            _ = FileManager.default.createFile(atPath: output.path, contents: nil)
            process.executableURL = Bundle.main.executableURL
            process.arguments = ["work"] + [port, number, commits, seconds].map { "\($0)" }
            process.standardOutput = try FileHandle(forWritingTo: output)
            try process.run()
        }

        /// Waits for the end.
        func report() -> Report {
            process.waitUntilExit()
            defer { try? FileManager.default.removeItem(at: output) }
            let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            return Report(lines: text.split(separator: "\n").compactMap { Report.Line(String($0)) })
        }
    }

    private struct Report {
        struct Line {
            let (text, word): (String, String)
            let (number, runs): (Int, Int)

            init?(_ text: String) {
                let parts = text.split(separator: " ")
                guard parts.count >= 3, let number = Int(parts[1]), let runs = Int(parts[2]) else { return nil }
                (self.text, word, self.number, self.runs) = (text, String(parts[0]), number, runs)
            }
        }

        let lines: [Line]
    }
}
