import Foundation
import PasscodeLock
import Settle

/// The demonstration's setting: files, a machine with simulated time, and a voice.
final class DemoStage {
    let time = SimulatedTime()
    let say: (String) -> Void
    private let folder = FileManager.default.temporaryDirectory.appending(path: "passcode-demo-\(UUID().uuidString)")
    private var opened: (stores: [SettingsStore], lock: PasscodeLockout)?
    private var chapters = 0

    init(say: @escaping (String) -> Void) {
        self.say = say
    }

    private var file: URL { folder.appending(path: "settings.json") }
    private var secondFile: URL { folder.appending(path: "settings.copy.json") }
    /// Where the first store keeps the lock.
    private var stateFile: URL { folder.appending(path: "settings.state.json") }

    var lock: PasscodeLockout {
        get throws {
            guard let opened else { throw DemoError(description: "The demonstration has not opened its lock.") }
            return opened.lock
        }
    }

    // MARK: The file

    func open() async throws {
        let first = try await SettingsStore.open(at: file)
        let second = try await SettingsStore.open(at: secondFile)
        // The demonstration keeps no secret, so its scrypt need not be slow.
        let verifier = ScryptVerifier(ScryptCost(rounds: 1 << 10))
        let lock = try await PasscodeLockout(in: first, and: second, time: time, verifier: verifier)
        opened = ([first, second], lock)
    }

    func close() async throws {
        for store in opened?.stores ?? [] { try await store.close() }
        opened = nil
    }

    func reopen() async throws {
        try await close()
        try await open()
    }

    func clearAway() {
        try? FileManager.default.removeItem(at: folder)
    }

    func showState() async throws {
        // The last commit is in the journal; the file has it once changes have settled, or when the store closes.
        try await reopen()
        say("   The state file, and its copy:")
        let text = (try? String(contentsOf: stateFile, encoding: .utf8)) ?? ""
        var isAudit = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("    \"audit\": [") {
                isAudit = true
                say("          \"audit\": [ … ],")
            }
            if !isAudit { say("      \(line)") }
            if line.hasPrefix("    ]") { isAudit = false }
        }
    }

    /// Edits the lock's state, as anyone with write access could.
    func editState(_ change: (String) -> String) throws {
        let text = try String(contentsOf: stateFile, encoding: .utf8)
        try change(text).write(to: stateFile, atomically: true, encoding: .utf8)
    }

    /// Writes the settings file, as its owner does.
    func writePolicy(_ text: String) throws {
        say("   … settings.json says \(text)")
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    // MARK: The voice

    func chapter(_ title: String) {
        chapters += 1
        say("\n\(chapters). \(title)")
    }

    func tell(_ line: String) {
        say("   \(line)")
    }

    func pass(_ duration: Duration) {
        time.advance(by: duration)
        note("\(duration.inWords) pass")
    }

    func note(_ event: String) {
        say("   … \(event)")
    }

    // MARK: What happens

    func unlock(_ text: String, _ expected: AttemptResult) async throws {
        let result = await (try lock).unlock(with: try Passcode(text))
        try expect(result, expected, "unlock \(text)")
    }

    func showAudit(last count: Int) async throws {
        for record in try await lock.auditRecords.suffix(count) { say("   > audit   \(record.words)") }
    }

    func expect(_ expected: LockStatus, _ line: String) async throws {
        try expect(await (try lock).status(), expected, "status")
        tell(line)
    }

    func expect(_ found: AttemptResult, _ expected: AttemptResult, _ action: String) throws {
        let words =
            switch found {
            case .accepted: "accepted"
            case .wrong(.ready): "wrong"
            case .wrong(let status): "wrong; now \(status.line)"
            case .failed(let status): "not compared; now \(status.line)"
            case .repeated: "wrong, again"
            case .refused(let status): "refused; \(status.line)"
            }
        say("   > \(action)   \(words)")
        guard found == expected else { throw DemoError(action, "\(expected)", "\(found)") }
    }

    func expect(_ found: LockStatus?, _ expected: LockStatus, _ action: String) throws {
        say("   > \(action)   \(found?.line ?? "nothing")")
        guard found == expected else { throw DemoError(action, "\(expected)", "\(String(describing: found))") }
    }
}

/// The lock did not do what the demonstration says.
struct DemoError: Error, CustomStringConvertible {
    let description: String

    init(description: String) {
        self.description = description
    }

    init(_ action: String, _ expected: String, _ found: String) {
        description = "“\(action)” should have given \(expected), but gave \(found). The lock breaks its rules."
    }
}
