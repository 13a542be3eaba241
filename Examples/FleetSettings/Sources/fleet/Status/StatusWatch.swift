import ArgumentParser
import Settle
import SettleEtcd

/// Shows what is in force where until a signal comes.
struct StatusWatch {
    let store: SettingsStore
    /// The one of the fleet, to which the machines report.
    let storage: EtcdStorage
    /// The prefix of the settings, if it is that of a host or a group.
    let layer: String?

    private static let pause = Duration.seconds(1)

    /// - Throws: `ExitCode` with 128 and the signal's number: 130 after Ctrl-C.
    func run() async throws {
        let end = Signals.end()
        let isTerminal = Terminal.showsOutput
        var table: StatusTable?
        var live = LiveTable()
        var failure: String?
        repeat {
            do {
                if let token = store.history.token {
                    let new = StatusTable(Machines(all: try await storage.machines(), token: token, under: layer))
                    if !isTerminal { for line in new.changes(since: table) { Terminal.say(line) } }
                    table = new
                }
                failure = nil
            } catch {
                // The table stays, with the reason below it.
                if !isTerminal, failure == nil { Terminal.complain("fleet: \(error)") }
                failure = "\(error)".withoutControls
            }
            if isTerminal {
                let size = Terminal.size
                // A long sentence wraps, so it gets room.
                let room = max(2, size.height - 1 - (failure.map { $0.count / size.width + 1 } ?? 0))
                let lines = table?.lines(width: size.width, height: room) ?? ["Nothing has been stored yet."]
                Terminal.write(live.replacement(lines + (failure.map { [$0] } ?? []), width: size.width))
            }
        } while await !end.hasCome(within: Self.pause)
        throw ExitCode(128 + (end.number ?? 0))
    }
}
