import ArgumentParser
import PasscodeLock
import Settle

struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Try a passcode.")

    @OptionGroup var options: StoreOptions

    func run() async throws {
        let (store, lock) = try await options.open()
        // No need to ask for what nobody will look at. The lock asks itself again, in the transaction that counts.
        let status = await lock.status()
        guard status == .ready else { try Report.end(.refused(status)) }
        let result = await lock.unlock(with: try Passcode.read(prompt: "Passcode: "))
        try await store.close()
        if result == .accepted { Terminal.say("Unlocked.") }
        try Report.end(result)
    }
}
