import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The verb that shows changes as they happen.
enum WatchVerb {
    private static let after = Verb.Option(
        names: ["--after"], value: "TOKEN", help: "Start after the change with this token.")

    static let watch = Verb(
        name: "watch", aliases: ["monitor"], scope: .domain, operands: [.key.optional], options: [.literal, after],
        summary: "Shows changes as they happen, until it is interrupted.",
        details: "With --json each change is a line with a token. With --after and that token, it resumes there.",
        action: { invocation in
            guard !invocation.has(.propertyList) else {
                throw CommandFailure(.usage, "A property list must end, but “watch” does not: use --json.")
            }
            let (target, declared) = try invocation.settings()
            let text = invocation.operands.first
            let token = try invocation.token(invocation.arguments[after])
            try await target.reading { store in
                let key = try text.map { try invocation.key($0, declared, store.keys.effectiveValues) }
                // A file without a history begins with its contents, which no follower has missed.
                var isBeginning = token == nil && store.history.token == nil
                for try await change in store.history.changes(after: token ?? store.history.token) {
                    let isSnapshot = isBeginning && change.snapshot != nil
                    isBeginning = false
                    guard !isSnapshot else { continue }
                    let shown = WatchedChange(change, at: key, declared)
                    guard !shown.isEmpty else { continue }
                    if invocation.has(.json) {
                        try invocation.terminal.show(try shown.record.json() + [0x0A], as: .json)
                    } else {
                        try shown.write(to: invocation.terminal)
                    }
                }
            }
        })
}

extension Invocation {
    func token(_ text: String?) throws(CommandFailure) -> ChangeToken? {
        guard let text else { return nil }
        guard let token = ChangeToken(text) else {
            throw CommandFailure(.usage, "“\(text)” is not a token. “history --json” and “watch --json” show tokens.")
        }
        return token
    }
}

/// A change as it is displayed.
private struct WatchedChange {
    private let change: Change
    private let mutations: [(key: String, old: SettingValue?, new: SettingValue?, isSecret: Bool)]

    init(_ change: Change, at key: SettingKey?, _ declared: DeclaredSettings) {
        self.change = change
        let key = key.map(declared.declaredKey)
        mutations = change.mutations.compactMap { mutation in
            guard let changed = SettingKey(mutation.key).map(declared.declaredKey) else { return nil }
            guard key == nil || changed == key || changed.isWithin(key ?? changed) || changed.contains(key ?? changed)
            else { return nil }
            let isSecret = mutation.isSecret || declared.isSecret(changed)
            func shown(_ value: SettingValue?) -> SettingValue? {
                isSecret ? nil : value.map { declared.hidingSecrets(in: $0, at: changed) }
            }
            return (mutation.key, shown(mutation.oldStoredValue), shown(mutation.newStoredValue), isSecret)
        }
    }

    var isEmpty: Bool { mutations.isEmpty && change.missed == .nothing }

    var record: SettingValue {
        var record: SettingValue.Entries = [
            "time": .date(change.time), "origin": .string(change.origin.rawValue),
            "changes": .array(
                mutations.map { mutation in
                    var record: SettingValue.Entries = ["key": .string(mutation.key)]
                    if mutation.isSecret { record["isSecret"] = .bool(true) }
                    record["oldValue"] = mutation.old
                    record["newValue"] = mutation.new
                    return .dictionary(record)
                }),
        ]
        if let token = change.token { record["token"] = .string(token.description) }
        if let author = change.author { record["author"] = .string(author) }
        switch change.missed {
        case .nothing: break
        case .changes(let count): record["missed"] = .integer(Int64(clamping: count))
        case .unknown: record["missed"] = .string("unknown")
        }
        return .dictionary(record)
    }

    func write(to terminal: any CommandTerminal) throws(CommandFailure) {
        if change.missed != .nothing {
            try terminal.say("Changes were missed, because those after the token are no longer known.", .yellow)
        }
        let author = change.author.map { " by \($0)" } ?? ""
        for mutation in mutations {
            let (old, new) = (spelled(mutation.old, mutation.isSecret), spelled(mutation.new, mutation.isSecret))
            try terminal.say("\(change.time.clockTime)  \(mutation.key): \(old) → \(new)  (\(change.origin)\(author))")
        }
    }

    private func spelled(_ value: SettingValue?, _ isSecret: Bool) -> String {
        isSecret ? redaction : value?.line ?? "nothing"
    }
}

extension Date {
    /// The time in the user's time zone, such as `12:05:09`.
    fileprivate var clockTime: String {
        formatted(
            Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false))
    }
}
