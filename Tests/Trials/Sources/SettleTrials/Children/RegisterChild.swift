import Settle
import TrialChecks

/// Reads, writes, exchanges and increments numbers that other processes use too, each in a commit.
struct RegisterChild: ChildRole {
    var place: ChildPlace
    var process: Int
    var seed: UInt64
    var operations: Int
    var registers: Int

    static func key(_ register: Int) -> String { "register\(register)" }

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        guard let contender = try await place.open() as? SettleContender else { return }
        let store = contender.store
        var random = SeededGenerator(seed: seed)
        try await contender.writeSecret(1)
        say("ready")
        _ = readLine()
        for index in 0..<operations {
            let register = Int.random(in: 0..<registers, using: &random)
            let key = Self.key(register)
            let operation = operation(index, using: &random)
            acknowledgements.add("call", register, Int(MonotonicTime.now()), text: RegisterSpelling.text(operation))
            let answer = try await store.commit {
                let (value, answer) = operation.applied(to: try store.keys.value(forKey: key) ?? 0)
                try store.keys.setValue(value, forKey: key)
                return answer
            }
            acknowledgements.add("answer", answer, Int(MonotonicTime.now()))
        }
        _ = try await contender.close()
    }

    /// Written values are unique, so that a read shows which write it saw; exchanges guess small numbers, which come
    /// from increments, so that some succeed.
    private func operation(_ index: Int, using random: inout SeededGenerator) -> RegisterOperation {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: .read
        case 3: .write(process * 100_000 + index * 10)
        case 4..<6: .exchange(Int.random(in: 0..<8, using: &random), 0)
        default: .increment
        }
    }
}
