#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The record, as users see it in their file:
///
///     "unconfirmed": {
///         "author": "alice",
///         "base": { "boot": "5f0c…", "rest": "300s", "time": "2026-11-27T02:00:00Z", "uptime": "86400.5s" },
///         "changes": { "network.port": { "new": 8443, "old": 443 } },
///         "time": "2026-11-27T02:00:00Z",
///         "within": "300s"
///     }
///
/// A value that was not stored is left out. Removing the record from the file confirms the commit.
extension UnconfirmedCommit {
    private enum Name {
        static let author = "author"
        static let base = "base"
        static let boot = "boot"
        static let changes = "changes"
        static let hasBadClock = "clockWasSetBack"
        static let new = "new"
        static let old = "old"
        static let rest = "rest"
        static let time = "time"
        static let uptime = "uptime"
        static let within = "within"
    }

    package var record: SettingValue {
        var changes: SettingValue.Entries = [:]
        for change in self.changes {
            var values: SettingValue.Entries = [:]
            values[Name.old] = change.oldValue
            values[Name.new] = change.newValue
            changes[change.key.description] = .dictionary(values)
        }
        var base: SettingValue.Entries = [
            Name.boot: .string(self.base.boot), Name.uptime: self.base.uptime.settingValue(),
            Name.rest: rest.settingValue(), Name.time: Self.text(self.base.time),
        ]
        if hasBadClock { base[Name.hasBadClock] = .bool(true) }
        var record: SettingValue.Entries = [
            Name.changes: .dictionary(changes), Name.base: .dictionary(base), Name.time: Self.text(time),
            Name.within: length.settingValue(),
        ]
        record[Name.author] = author.map { .string($0) }
        return .dictionary(record)
    }

    /// Decodes a record; `nil` for a value that is not one, for example after an edit by hand.
    package init?(_ record: SettingValue?) {
        guard case .dictionary(let record)? = record, case .dictionary(let changes)? = record[Name.changes],
            case .dictionary(let base)? = record[Name.base], let length = Self.duration(record[Name.within]),
            let rest = Self.duration(base[Name.rest]), let uptime = Self.duration(base[Name.uptime]),
            let baseTime = Self.time(base[Name.time])
        else { return nil }
        var mutations: [StoredMutation] = []
        for (name, change) in changes {
            // An edited record must not lead to data beside the settings.
            guard case .dictionary(let values) = change, let key = SettingKey(name), !MigrationRecord.has(key) else {
                return nil
            }
            mutations.append(StoredMutation(key: key, oldValue: values[Name.old], newValue: values[Name.new]))
        }
        var (boot, author) = ("", String?.none)
        if case .string(let text)? = base[Name.boot] { boot = text }
        if case .string(let text)? = record[Name.author] { author = text }
        self.init(
            mutations, by: author, within: length, at: MachineMoment(boot: boot, uptime: uptime, time: baseTime))
        resume(
            rest: rest, time: Self.time(record[Name.time]) ?? baseTime,
            hasBadClock: base[Name.hasBadClock] == .bool(true))
    }

    private static func text(_ time: Double) -> SettingValue {
        let date = Date(timeIntervalSinceReferenceDate: time)
        return Timestamp(date)?.iso8601.map { .string($0) } ?? .real(time)
    }

    private static func time(_ value: SettingValue?) -> Double? {
        switch value {
        case .string(let text): Timestamp(iso8601: text)?.date.timeIntervalSinceReferenceDate
        case .real(let time): time.isFinite ? time : nil
        case .integer(let time): Double(time)
        case .date(let date): date.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    private static func duration(_ value: SettingValue?) -> Duration? {
        value.flatMap { try? Duration(settingValue: $0) }.map(\.bounded)
    }
}
