public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The guarantees of `Storage`, `SharedStorage` and `HistoryStorage`, as checks that every implementation can run on
/// itself.
///
/// ```swift
/// @Test func conformance() async throws {
///     try await withTemporaryFolder { folder in
///         try await StorageConformance.check(
///             makeStorage: { FileStorage(at: folder.appending(path: "\($0).json")) },
///             reopen: { number, _ in FileStorage(at: folder.appending(path: "\(number).json")) })
///     }
/// }
/// ```
public struct StorageConformance {
    /// Makes an empty storage. Each call passes a different number.
    public typealias Make = (_ number: Int) async throws -> any Storage
    /// Makes another storage of a closed storage's data.
    public typealias Reopen = (_ number: Int, _ closed: any Storage) async throws -> any Storage
    /// Makes a second storage of the same data while the first one is open.
    public typealias Other = (_ number: Int, _ first: any Storage) async throws -> any SharedStorage
    /// Gives a storage a fault, or heals it with `nil`.
    ///
    /// - Returns: False if the fault can't be produced; then the checks that need it are skipped.
    public typealias SetFault = (_ storage: any Storage, _ fault: Fault?) async throws -> Bool

    /// A fault of a storage.
    public enum Fault: Sendable, Hashable, CaseIterable {
        /// Every append fails.
        case appends
        /// Every load fails.
        case loads
        /// Changes of others can't be determined.
        case changes
        /// Every append takes effect, but its answer is lost: it throws with `isOutcomeUnknown`.
        case answers
        /// Every lease granted to the storage has ended, so that others can take its name: let its time pass rather
        /// than remove it, so that a lease without an end is found.
        case leases
        /// No call is answered. Use it only for a storage whose `limits` have a time: it must end a call whose task is
        /// cancelled.
        case silence
    }

    let makeStorage: Make
    let reopen: Reopen
    let setFault: SetFault?
    let makeOther: Other?
    let values: [SettingValue]
    let patience: Duration

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - makeStorage: Makes an empty storage.
    ///   - reopen: Makes another storage of a closed one's data.
    ///   - setFault: Produces faults. Without it, the checks that need faults are skipped.
    ///   - makeOther: Makes a second storage of the same data. Without it, the checks of a `SharedStorage` are skipped.
    ///     Waiting for a lock must time out before `patience` does, or end when the lock is released.
    ///   - values: Values that must survive storing unchanged. Leave out kinds that the storage's format lacks.
    ///   - patience: How long to wait for an event that the storage has to report.
    /// - Returns: The number of checks made, and the skipped checks with the reasons.
    /// - Throws: ``StorageConformanceFailure`` with every failed check.
    @discardableResult
    public static func check(
        makeStorage: @escaping Make,
        reopen: @escaping Reopen,
        setFault: SetFault? = nil,
        makeOther: Other? = nil,
        values: [SettingValue] = everyKindOfValue,
        patience: Duration = .seconds(10)
    ) async throws(StorageConformanceFailure) -> Report {
        let suite = StorageConformance(
            makeStorage: makeStorage, reopen: reopen, setFault: setFault, makeOther: makeOther, values: values,
            patience: patience)
        var failures: [String] = []
        var report = Report(checks: 0, leftOut: [])
        for (number, check) in suite.checks.enumerated() {
            do {
                try await check.run(number)
                report.checks += 1
            } catch let reason as LeftOut {
                report.leftOut.append("\(check.promise): \(reason)")
            } catch {
                failures.append("\(check.promise): \(error)")
            }
        }
        if !failures.isEmpty { throw StorageConformanceFailure(failures: failures) }
        return report
    }

    /// Every case of `SettingValue`, each with the values that are easiest to get wrong.
    public static var everyKindOfValue: [SettingValue] {
        [
            .null, .bool(false), .bool(true),
            .integer(0), .integer(-1), .integer(.min), .integer(.max),
            .real(0.5), .real(0.1), .real(-2), .real(1e300), .real(.leastNonzeroMagnitude),
            .string(""), .string("0"), .string("a \"quoted\" line\nand \\ another\u{1F600}e\u{301}"),
            .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 700_000_000)),
            .data(Data()), .data(Data([0, 255, 10])),
            .array([]), .array([.integer(1), .string("two"), .array([.bool(true)])]),
            .dictionary(["inner": .dictionary(["x": .integer(1)]), "": .string("no name")]),
            .number("123456789012345678901234567890"),
        ]
    }

    struct Check {
        let promise: String
        let run: (_ number: Int) async throws -> Void
    }

    private var checks: [Check] {
        storingChecks + keyChecks + valueChecks + faultChecks + keepingChecks + historyChecks
            + onPairs(sharingChecks + changeChecks + conditionChecks + lockChecks + leaseChecks)
    }
}
