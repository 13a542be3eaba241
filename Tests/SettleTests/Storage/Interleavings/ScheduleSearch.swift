/// All schedules of a short script in which actors are interrupted a few times, one after the other.
///
/// An actor that ends or waits for a lock is not interrupted: what follows then is tried with each other actor.
struct ScheduleSearch {
    /// How often an actor may be interrupted in the middle.
    let interruptionLimit: Int
    private var next: [Int]? = []

    init(interruptionLimit: Int) { self.interruptionLimit = interruptionLimit }

    /// The schedule to try next; `nil` after the last one.
    var plan: CallScheduler.Plan? { next.map { .given($0) } }

    /// A schedule has been tried, and has led to these choices.
    mutating func didTry(_ choices: [CallScheduler.Choice]) {
        var interruptions = choices.count { $0.current != nil && $0.chosen != $0.current }
        for index in choices.indices.reversed() {
            let choice = choices[index]
            if choice.current != nil, choice.chosen != choice.current { interruptions -= 1 }
            let order = Self.order(choice)
            guard let place = order.firstIndex(of: choice.chosen), place + 1 < order.count else { continue }
            guard choice.current == nil || interruptions < interruptionLimit else { continue }
            next = choices[..<index].map(\.chosen) + [order[place + 1]]
            return
        }
        next = nil
    }

    /// The candidates in the order in which they are tried.
    private static func order(_ choice: CallScheduler.Choice) -> [Int] {
        guard let current = choice.current else { return choice.candidates }
        return [current] + choice.candidates.filter { $0 != current }
    }

    /// Tries all schedules of some scripts, until one fails.
    ///
    /// - Returns: How many there were.
    static func tryAll(
        _ scripts: [[InterleavedFile.Action]], interruptions: Int, atMost limit: Int
    ) -> (count: Int, failure: String?) {
        var search = ScheduleSearch(interruptionLimit: interruptions)
        var count = 0
        while let plan = search.plan, count < limit {
            count += 1
            do {
                search.didTry(try InterleavedFile.run(scripts, plan))
            } catch {
                return (count, "\(error)")
            }
        }
        return (count, nil)
    }
}
