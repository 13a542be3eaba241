import ArgumentParser
import Foundation
import PasscodeLock

struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Choose or change the passcode.",
        discussion:
            "The current passcode, if there is one, is asked for first. That is a try like any other: it may be refused."
    )

    @OptionGroup var options: StoreOptions

    func run() async throws {
        // Before the stores are opened, which may make files.
        let traces = try Recovery(of: options.copies).traces
        let opened = try await options.open()
        let lock = opened.lock
        let status = await lock.status()
        if status == .unavailable(.notEnrolled), let trace = traces.first {
            Terminal.complain("No passcode is stored, but “\(trace.path)” shows that there was a lock.")
            Terminal.complain("“passcode recover” sets its files aside.")
            throw ExitCode.unavailable
        }
        let isFirst = status == .unavailable(.notEnrolled)
        guard isFirst || status == .ready else { try Report.end(.refused(status)) }
        let result = try await choose(for: lock, isFirst: isFirst)
        if result == .accepted { await opened.writeSchemas() }
        await opened.close()
        if result == .accepted { try? Terminal.say(isFirst ? "Enrolled." : "Changed.") }
        try Report.end(result)
    }

    /// Asks for the passcodes, which are wiped when it returns: before files are written, and before the program ends.
    private func choose(for lock: PasscodeLockout, isFirst: Bool) async throws -> AttemptResult {
        let old = try isFirst ? nil : Passcode.read(prompt: "Current passcode: ")
        let new = try Passcode.read(prompt: "New passcode: ", for: lock.policy)
        if Terminal.isInteractive {
            let again = try Terminal.readSecret(prompt: "New passcode again: ")
            // Both came from the same keyboard a moment ago, so there is nothing to guess.
            guard (try? again.passcode()).map(new.isSame) == true else {
                Terminal.complain("The two passcodes differ. Nothing has changed.")
                throw ExitCode.mismatch
            }
        }
        return try await lock.enrol(new, replacing: old)
    }
}
