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

/// What was measured for a row.
struct Result: Sendable, Codable {
    var id: String
    var subject: String
    var limit: String
    var unit: Row.Unit
    var goal: Double
    var stretch: Double?
    var oursFigure: Double
    var limitFigure: Double
    var ratio: Double
    var peers: [Peer] = []
    var notes: [String] = []

    /// Another library, measured against the same limit in the same run.
    struct Peer: Sendable, Codable {
        var name: String
        var ratio: Double
    }

    init(_ row: Row, _ comparison: Comparison, peers: [Peer] = [], notes: [String] = []) {
        id = row.id
        subject = row.subject
        limit = row.limit
        unit = row.unit
        goal = row.goal
        stretch = row.stretch
        oursFigure = comparison.ours
        limitFigure = comparison.limit
        ratio = comparison.ratio
        self.peers = peers
        self.notes = notes
    }
}

/// Measures one row or a few that come from the same run.
struct Benchmark: Sendable {
    let rows: [String]
    let run: @Sendable (Plan) async throws -> [Result]
}
