/// Measures one row or a few that come from the same run.
struct Benchmark: Sendable {
    let rows: [String]
    let run: @Sendable (Plan) async throws -> [RowResult]
}
