/// One line of the table: what is compared with what, and which ratio is the goal.
struct Row: Sendable {
    let id: String
    let subject: String
    let limit: String
    let goal: Double
    var stretch: Double?
    var unit = Unit.time

    enum Unit: String, Sendable, Codable {
        case time = "ns"
        case bytes = "bytes"
    }
}
