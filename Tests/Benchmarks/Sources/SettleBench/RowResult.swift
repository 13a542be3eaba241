import Foundation

/// The measurements of a row.
struct RowResult: Sendable, Codable {
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

    /// A measurement that was cut off has no figure, which JSON can't spell as a number.
    static let floats = (
        encoding: JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan"),
        decoding: JSONDecoder.NonConformingFloatDecodingStrategy.convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    )

    /// The results in a file that `--json` has written.
    static func read(_ file: URL) throws -> [RowResult] {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = floats.decoding
        return try decoder.decode([RowResult].self, from: Data(contentsOf: file))
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
