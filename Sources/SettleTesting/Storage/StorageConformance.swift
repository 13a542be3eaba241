public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The guarantees of `Storage` and `SharedStorage`, as checks that every implementation can run on itself.
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
    /// Makes another storage of what a closed storage has stored.
    public typealias Reopen = (_ number: Int, _ closed: any Storage) async throws -> any Storage
    /// Makes a second storage of the same place while the first one is open.
    public typealias Other = (_ number: Int, _ first: any Storage) async throws -> any SharedStorage
    /// Gives a storage a fault, or heals it with `nil`.
    ///
    /// - Returns: False if the fault can't be produced; then the checks that need it are left out.
    public typealias SetFault = (_ storage: any Storage, _ fault: Fault?) async throws -> Bool

    /// What can go wrong with a storage.
    public enum Fault: Sendable, Hashable, CaseIterable {
        /// Every append fails.
        case appends
        /// Every load fails.
        case loads
        /// Whatever others have changed can't be determined.
        case changes
        /// Every append takes effect, but its answer is lost: it throws with `isOutcomeUnknown`.
        case answers
        /// Every lease that the storage has been granted has ended.
        case leases
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
    ///   - reopen: Makes another storage of what a closed one has stored.
    ///   - setFault: Produces faults. Without it, checks that need faults are left out.
    ///   - makeOther: Makes a second storage of the same place. Without it, the checks of a `SharedStorage` are left
    ///     out. Waiting for a lock must time out before `patience` does, or end when the lock is released.
    ///   - values: Values that must survive storing unchanged. Leave out kinds that the storage's format lacks.
    ///   - patience: How long to wait for an event that the storage has to report.
    /// - Throws: ``StorageConformanceFailure`` with everything that went wrong.
    public static func check(
        makeStorage: @escaping Make,
        reopen: @escaping Reopen,
        setFault: SetFault? = nil,
        makeOther: Other? = nil,
        values: [SettingValue] = everyKindOfValue,
        patience: Duration = .seconds(10)
    ) async throws(StorageConformanceFailure) {
        let suite = StorageConformance(
            makeStorage: makeStorage, reopen: reopen, setFault: setFault, makeOther: makeOther, values: values,
            patience: patience)
        var failures: [String] = []
        for (number, check) in suite.checks.enumerated() {
            do {
                try await check.run(number)
            } catch {
                failures.append("\(check.promise): \(error)")
            }
        }
        if !failures.isEmpty { throw StorageConformanceFailure(failures: failures) }
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
        storingChecks + (setFault.map(faultChecks) ?? []) + (makeOther.map { sharingChecks($0) + lockChecks($0) } ?? [])
    }
}
