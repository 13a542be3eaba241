/// The events of a random history, put into words only if they must be shown.
struct HistoryLog: CustomStringConvertible {
    private var events: [() -> String] = []

    mutating func note(_ event: @autoclosure @escaping () -> String) { events.append(event) }

    var description: String { events.map { "\n  " + $0() }.joined() }
}
