public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The guarantees of `Storage`, as checks that every implementation can run on itself.
///
/// ```swift
/// @Test func conformance() throws {
///     try withTemporaryFolder { folder in
///         try StorageConformance.check(
///             makeStorage: { FileStorage(at: folder.appending(path: "\($0).json")) },
///             reopen: { number, _ in FileStorage(at: folder.appending(path: "\(number).json")) })
///     }
/// }
/// ```
public struct StorageConformance {
    /// Makes an empty storage. Each call passes a different number.
    public typealias Make = (_ number: Int) throws -> any Storage
    /// Makes another storage of what a closed storage has stored.
    public typealias Reopen = (_ number: Int, _ closed: any Storage) throws -> any Storage
    /// Makes every append to a storage fail, or succeed again.
    public typealias SetFailing = (_ storage: any Storage, _ isFailing: Bool) throws -> Void

    /// Makes a second storage of the same place while the first one is open.
    public typealias Other = (_ number: Int, _ first: any Storage) throws -> any Storage

    let makeStorage: Make
    let reopen: Reopen
    let setFailing: SetFailing?
    let makeOther: Other?
    let values: [SettingValue]

    /// Runs all checks.
    ///
    /// - Parameters:
    ///   - makeStorage: Makes an empty storage.
    ///   - reopen: Makes another storage of what a closed one has stored.
    ///   - setFailing: Makes appends fail, and succeed again. Without it the checks of failed appends are left out.
    ///   - makeOther: Makes a second storage of the same place. Without it the checks of external changes, of the lock
    ///     and of reserved names are left out. Waiting for the lock must time out before the check does.
    ///   - values: Values that must survive storing unchanged. Leave out kinds that the storage's format lacks.
    /// - Throws: ``StorageConformanceFailure`` with everything that went wrong.
    public static func check(
        makeStorage: @escaping Make,
        reopen: @escaping Reopen,
        setFailing: SetFailing? = nil,
        makeOther: Other? = nil,
        values: [SettingValue] = everyKindOfValue
    ) throws(StorageConformanceFailure) {
        let suite = StorageConformance(
            makeStorage: makeStorage, reopen: reopen, setFailing: setFailing, makeOther: makeOther, values: values)
        var failures: [String] = []
        for (number, check) in suite.checks.enumerated() {
            do {
                try check.run(number)
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
}
