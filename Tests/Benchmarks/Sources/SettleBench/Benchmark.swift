/// Measures one row, or several that come from the same run.
struct Benchmark: Sendable {
    let rows: [String]
    let run: @Sendable (Plan) async throws -> [RowResult]
}
