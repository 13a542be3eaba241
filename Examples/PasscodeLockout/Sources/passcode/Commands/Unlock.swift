import ArgumentParser
import PasscodeLock

struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Try a passcode.",
        discussion:
            "At a terminal, asks again after a wrong passcode, for three passcodes at most, unless there is a wait.")

    @OptionGroup var options: StoreOptions

    @Flag(help: "If there is a wait, count it down, then ask.")
    var wait = false

    func run() async throws {
        let opened = try await options.open()
        var status = await opened.lock.status()
        if wait, case .delayed = status {
            try await WatchDisplay(opened.lock, showsRecords: false).run { $0.isDelayed }
            status = await opened.lock.status()
        }
        // No need to ask for a passcode that will not be compared. The transaction that counts decides again.
        guard status == .ready else { try Report.end(.refused(status)) }
        var result = await attempt(opened.lock)
        for _ in 1..<Self.tries where result.mayBeRepeated && Terminal.isInteractive {
            Report.tell(try result.get())
            result = await attempt(opened.lock)
        }
        await opened.close()
        if try result.get() == .accepted { try? Terminal.say("Unlocked.", .green) }
        try Report.end(try result.get())
    }

    private static let tries = 3

    private func attempt(_ lock: PasscodeLockout) async -> Result<AttemptResult, any Error> {
        do {
            return .success(await lock.unlock(with: try Passcode.read(prompt: "Passcode: ")))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Success == AttemptResult {
    /// Whether the user may try again at once.
    fileprivate var mayBeRepeated: Bool {
        switch self {
        case .success(.wrong(.ready)), .success(.repeated(.ready)): true
        case .success, .failure: false
        }
    }
}
