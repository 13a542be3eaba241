import Foundation

/// The numbers of random histories. `SETTLE_HISTORIES` sets how many there are, and `SETTLE_HISTORY_SEED` the first: a
/// number of 1 repeats one that failed.
func histories(usually count: UInt64) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? 0
    return first..<(first + (environment["SETTLE_HISTORIES"].flatMap(UInt64.init) ?? count))
}
