import FleetMachines
import Foundation
import Synchronization
import TrialChecks

/// A service that runs as a child of this process, over all its lives.
final class ServiceProcess: Sendable {
    let number: Int
    let station: Station?
    private let arguments: [String]
    private let copy: String
    /// The file of its standard error.
    private let errors: String
    private let child = Mutex<ChildProgram?>(nil)
    private let reported = Mutex<[Acknowledgement]>([])
    private let reading = Mutex<Task<Void, Never>?>(nil)
    /// How far its wall clock is ahead of the machine's, in seconds.
    private let clockLead = Mutex(0)

    /// - Parameters:
    ///   - endpoints: The addresses that it knows; `nil` for those of all members.
    ///   - reports: Whether it reports what it has in force, under ``machine``, and searches settings of its own.
    ///   - group: The group whose settings it searches, too.
    init(
        _ number: Int, of cluster: RealCluster, endpoints: [String]? = nil, prefix: String, folder: TemporaryFolder,
        on network: LocalNetwork?, reports: Bool = false, memberOf group: String? = nil
    ) {
        self.number = number
        station = network?.station(20 + number)
        copy = folder.path("service-\(number).json")
        errors = folder.path("service-\(number).errors")
        arguments =
            [
                "service", "--number", "\(number)", "--endpoints",
                (endpoints ?? cluster.endpoints).joined(separator: ","), "--prefix", prefix,
            ]
            + (reports ? ["--machine", Self.machine(number)] : []) + (group.map { ["--member-of", $0] } ?? [])
    }

    /// The name under which it reports.
    var machine: String { Self.machine(number) }

    private static func machine(_ number: Int) -> String { "service \(number)" }

    /// The lines that it has reported so far.
    var lines: [Acknowledgement] { reported.withLock { $0 } }

    /// Starts it, with the local copy that it had before, after the last token that it has reported.
    func start() throws {
        var arguments = arguments + ["--local-copy", copy]
        if let place = place { arguments += ["--after", place] }
        let child = try ChildProgram(LocalNetwork.thisProgram(), arguments, at: station, errors: errors)
        self.child.withLock { $0 = child }
        let task = Task {
            for await line in child.lines {
                guard let line = Acknowledgement(line: line) else { continue }
                reported.withLock { reported in
                    // The token after which it resumes is not a new beginning.
                    if line.word == "began", reported.contains(where: { $0.word == "began" }) {
                        reported.append(Acknowledgement("again", line.numbers, text: line.text))
                    } else {
                        reported.append(line)
                    }
                }
            }
        }
        reading.withLock { $0 = task }
        let lead = clockLead.withLock { $0 }
        if lead != 0 { say("clock", lead) }
    }

    /// Sets its wall clock, in this life and in those after it.
    ///
    /// - Parameter seconds: How far it is ahead of the machine's; negative if it is behind.
    func setClock(ahead seconds: Int) {
        clockLead.withLock { $0 = seconds }
        say("clock", seconds)
    }

    private var place: String? {
        lines.last { $0.word == "saw" || $0.word == "began" }?.text?.split(separator: " ").first.map { String($0) }
    }

    func say(_ word: String, _ numbers: Int...) {
        child.withLock { $0 }?.say(Acknowledgement(word, numbers).line)
    }

    /// Ends it without notice, and waits until everything that it has reported is read.
    func kill() async {
        child.withLock { $0 }?.kill()
        await reading.withLock { $0 }?.value
    }

    func pause(_ isPaused: Bool = true) { child.withLock { $0 }?.pause(isPaused) }

    /// Cuts it off, or stops it where there is no network to cut; or lets it back.
    func cut(_ isCut: Bool = true) throws {
        guard let station else { return pause(isCut) }
        try station.cut(isCut)
    }

    /// Asks it to end, and waits for that.
    func end() async {
        say("end")
        await reading.withLock { $0 }?.value
        child.withLock { $0 = nil }
    }

    /// Waits until it has reported something.
    func wait(
        _ what: String, atMost limit: Duration = .seconds(60), for isIt: @Sendable ([Acknowledgement]) -> Bool
    ) async throws {
        let isOver = await MonotonicTime.wait(atMost: limit) { isIt(self.lines) || self.ending != nil }
        let ending = ending
        // Its last lines may not have been read yet.
        if ending != nil { await reading.withLock { $0 }?.value }
        guard !isIt(lines) else { return }
        let way = isOver ? "has ended \(ending ?? "") before it reported" : "did not report within \(limit)"
        let said = (try? String(contentsOfFile: errors, encoding: .utf8))?.split(separator: "\n").suffix(3) ?? []
        throw MachineError(
            "Service \(number) \(way) that \(what). Its last lines: \(lines.suffix(3)); its last errors: \(said)")
    }

    /// How it has ended; `nil` while it runs.
    private var ending: String? { child.withLock { $0 }?.end }
}
