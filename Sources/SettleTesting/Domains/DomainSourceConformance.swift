public import Settle

/// The guarantees of `DomainSource`, as checks that every implementation can run on itself.
///
/// ```swift
/// @Test func conformance() async throws {
///     try await DomainSourceConformance.check(
///         make: { _ in ManualDomainSource() },
///         change: { source, tree in (source as? ManualDomainSource)?.set(tree) })
/// }
/// ```
public struct DomainSourceConformance {
    /// Makes a source without values. Each call passes a different number.
    public typealias Make = (_ number: Int) async throws -> any DomainSource
    /// Replaces the values where the source reads them, as others do. All values are strings.
    public typealias Change = (_ source: any DomainSource, _ tree: SettingTree) async throws -> Void
    /// Makes loads fail, or heals the source.
    ///
    /// - Returns: False if the fault can't be produced; then the checks that need it are skipped.
    public typealias SetFault = (_ source: any DomainSource, _ isFaulty: Bool) async throws -> Bool

    let make: Make
    let change: Change
    let setFault: SetFault?
    let patience: Duration

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - make: Makes a source without values.
    ///   - change: Replaces the values that a source reads.
    ///   - setFault: Produces faults. Without it, the checks that need faults are skipped.
    ///   - patience: How long to wait for a report.
    /// - Throws: ``DomainSourceConformanceFailure`` with everything that went wrong.
    public static func check(
        make: @escaping Make, change: @escaping Change, setFault: SetFault? = nil, patience: Duration = .seconds(10)
    ) async throws(DomainSourceConformanceFailure) {
        let suite = DomainSourceConformance(make: make, change: change, setFault: setFault, patience: patience)
        var failures: [String] = []
        for (number, (promise, run)) in suite.closingChecks.enumerated() {
            do {
                try await run(try await make(number))
            } catch {
                failures.append("\(promise): \(error)")
            }
        }
        if !failures.isEmpty { throw DomainSourceConformanceFailure(failures: failures) }
    }
}

/// The ways in which a source has violated the guarantees of `DomainSource`.
public struct DomainSourceConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for each failed check, beginning with the expected behavior.
    public var failures: [String]

    public var description: String {
        "The source does not keep \(failures.count) of its promises:\n"
            + failures.map { "- \($0)" }.joined(separator: "\n")
    }
}
