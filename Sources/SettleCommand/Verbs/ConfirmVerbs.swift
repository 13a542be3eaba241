import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Verbs that end a change that is undone unless it is confirmed.
enum ConfirmVerbs {
    static let confirm = Verb(
        name: "confirm", scope: .domain, options: [.author],
        summary: "Confirms a change that was made with --confirm-within, so that it stays.",
        details: "Confirm in time: otherwise the change is reverted.",
        action: { invocation in
            let target = try invocation.target()
            let keys = try await target.writingUnconfirmed { store, change in
                try await store.unconfirmed.confirm(author: invocation.author)
                return change.keys
            }
            for key in keys { try invocation.terminal.say("\(key) stays.") }
        })

    static let revert = Verb(
        name: "revert", scope: .domain, options: [.author],
        summary: "Reverts a change that was made with --confirm-within, without waiting.",
        details: "Keys that have changed since are left alone and listed.",
        action: { invocation in
            let target = try invocation.target()
            let result = try await target.writingUnconfirmed { store, _ in
                try await store.unconfirmed.revert(author: invocation.author)
            }
            guard invocation.format == nil else { return try invocation.show(try SettingValueEncoder().encode(result)) }
            for key in result.keys { try invocation.terminal.say("\(key) is as it was before.") }
            for conflict in result.conflicts { invocation.terminal.complain("\(conflict); it was left alone.") }
        })
}

extension Verb.Option {
    static let confirmWithin = Self(
        names: ["--confirm-within"], value: "DURATION",
        help: "Revert the change unless “confirm” follows within a time such as 5m or 1h30m.")
}

extension CommandTarget {
    /// Opens the store to end its unconfirmed change. Creates no file where there is none.
    fileprivate func writingUnconfirmed<Result: Sendable>(
        _ body: @Sendable (SettingsStore, SettingsStore.UnconfirmedChange) async throws -> Result
    ) async throws -> Result {
        let (change, problem) = try await reading { ($0.unconfirmed.change, $0.unconfirmed.problem) }
        if let problem { throw problem }
        guard let change else {
            throw CommandFailure(.absent, "\(name) has no unconfirmed change.")
        }
        return try await writing { store in try await body(store, change) }
    }
}

extension Invocation {
    /// Commits the changes of a verb, and reports how long they stand if they must be confirmed.
    ///
    /// - Parameter condition: The token since which nothing must have been stored at some keys, if there is one.
    func commit<Result: Sendable>(
        to store: SettingsStore, _ declared: DeclaredSettings,
        ifUnchangedSince condition: (token: ChangeToken, keys: [SettingKey])? = nil, _ body: () throws -> Result
    ) async throws -> Result {
        let length = try confirmationLength
        let result = try await store.commit(
            ifUnchangedSince: condition, author: author, confirmWithin: length, secrets: declared.secretKeys, body)
        if length != nil { tellUnconfirmed(store.unconfirmed.change) }
        return result
    }

    private var confirmationLength: Duration? {
        get throws(CommandFailure) {
            guard let text = arguments[.confirmWithin] else { return nil }
            guard let length = DurationText.duration(text[...]), length > .zero else {
                throw CommandFailure(.usage, "“\(text)” is not a duration such as 90s, 5m or 1h30m.")
            }
            return length
        }
    }

    /// Reports that a change is not confirmed, in one line on standard error.
    func tellUnconfirmed(_ change: SettingsStore.UnconfirmedChange?) {
        guard let change else { return }
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        let keys = change.keys.joined(separator: ", ") + (change.author.map { " (by “\($0)”)" } ?? "")
        guard change.remaining > .zero else {
            terminal.complain("Not confirmed in time: \(keys). The next program that writes will revert it.")
            return
        }
        let deadline = change.deadline.formatted(style)
        terminal.complain(
            "Not confirmed yet: \(keys). It will be reverted at \(deadline) unless “\(program) confirm” comes first.")
    }
}
