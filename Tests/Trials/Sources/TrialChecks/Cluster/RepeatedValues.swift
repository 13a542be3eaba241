/// How often clients have stored each value in registers whose values repeat, as far as they know: a commit that found
/// another value than it wrote has stored it once, and one that found the same has stored nothing.
struct RepeatedValues {
    private struct Place: Hashable {
        var register: Int
        var value: Int
    }

    private var acknowledged: [Place: Int] = [:]
    private var unknown: [Place: Int] = [:]
    private let registers: Set<Int>

    /// - Parameter registers: The registers whose values repeat.
    init(_ clients: [[Acknowledgement]], in registers: Set<Int>) {
        self.registers = registers
        for lines in clients { add(lines) }
    }

    private mutating func add(_ lines: [Acknowledgement]) {
        var open: Place?
        for line in lines {
            switch line.word {
            case "call":
                if let open { unknown[open, default: 0] += 1 }
                open = place(of: line)
            case "answer":
                if let open, line.numbers.first != open.value { acknowledged[open, default: 0] += 1 }
                open = nil
            case "refused": open = nil
            default: break
            }
        }
        if let open { unknown[open, default: 0] += 1 }
    }

    private func place(of call: Acknowledgement) -> Place? {
        guard let register = call.numbers.first, registers.contains(register),
            let value = RegisterSpelling.operation(call.text ?? "")?.written
        else { return nil }
        return Place(register: register, value: value)
    }

    /// Sentences about values that were stored less often than was acknowledged.
    func lost(in log: [ClusterVerdict.Stored]) -> [String] {
        let stored = counts(in: log)
        return acknowledged.sorted { ($0.key.register, $0.key.value) < ($1.key.register, $1.key.value) }
            .compactMap { place, count in
                guard stored[place, default: 0] < count else { return nil }
                return "\(place.value) was acknowledged \(count) times in register \(place.register), and stored "
                    + "\(stored[place, default: 0]) times."
            }
    }

    /// Sentences about values that were stored more often than clients can have done it.
    func doubled(in log: [ClusterVerdict.Stored]) -> [String] {
        counts(in: log).sorted { ($0.key.register, $0.key.value) < ($1.key.register, $1.key.value) }
            .compactMap { place, count in
                let most = acknowledged[place, default: 0] + unknown[place, default: 0]
                guard count > most else { return nil }
                return
                    "\(place.value) was stored \(count) times in register \(place.register), by \(most) commits at most."
            }
    }

    private func counts(in log: [ClusterVerdict.Stored]) -> [Place: Int] {
        log.reduce(into: [:]) { counts, stored in
            guard registers.contains(stored.register) else { return }
            counts[Place(register: stored.register, value: stored.value), default: 0] += 1
        }
    }
}
