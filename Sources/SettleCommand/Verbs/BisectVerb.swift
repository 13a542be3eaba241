import Settle
import SettleInterchange

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Finds the change that breaks something.
enum BisectVerb {
    private static let defaults = Verb.Option(
        names: ["--defaults"], help: "Start without settings, and add the stored ones key by key.")

    static let bisect = Verb(
        name: "bisect", scope: .domain, options: [defaults],
        summary: "Finds the change that made a command fail, by bisecting the history.",
        details: """
            The command is run with a copy of the settings in a temporary folder, as they were after some change: its path \
            is in place of {} in the arguments, and in the variable SETTLE_FILE. The settings themselves are not touched. \
            What the command prints goes to standard error.

            Exit code 0 means that these settings are good, 125 that the command can't tell, and any other up to 127 that \
            they are bad. A higher one, such as that of a command that a signal has ended, ends the search. The present \
            settings must be bad, and the oldest ones good. A secret has its present value throughout.

            Without a history, or with --defaults, each stored key is a change, in the order of the keys.
            """,
        takesCommand: true,
        action: { invocation in
            let (target, declared) = try invocation.settings()
            let changes = try await changes(of: target, declared, invocation)
            guard !changes.changes.isEmpty else {
                throw CommandFailure(.absent, "\(target.name) has no changes to search.")
            }
            let folder = try target.bisectionFolder()
            var search = Bisection(count: changes.changes.count)
            while case .check(let state) = search.next {
                let verdict = try folder.withFile(of: changes.settings(after: state)) { path in
                    try invocation.verdict(on: path)
                }
                search.record(verdict, of: state)
                invocation.terminal.complain(
                    "After change \(state) of \(changes.changes.count): \(verdict). Changes left: \(search.left).")
            }
            try invocation.report(search.next, changes.changes, declared)
        })

    private static func changes(
        of target: CommandTarget, _ declared: DeclaredSettings, _ invocation: Invocation
    ) async throws -> BisectedChanges {
        if !invocation.has(defaults) {
            do {
                let found = try await target.reading { store in try await BisectedChanges(historyOf: store) }
                if !found.changes.isEmpty { return found }
            } catch let error as SettingsError where error.code == .historyUnavailable {}
            invocation.terminal.complain("There is no history, so each stored key counts as a change.")
        }
        return BisectedChanges(storing: try await target.wholeTree(), declared)
    }
}

extension Invocation {
    /// Returns the command's verdict on settings.
    fileprivate func verdict(on path: String) throws -> Bisection.Verdict {
        let words = arguments.value.map { $0.replacing("{}", with: path) }
        let code = try terminal.run(words, variables: ["SETTLE_FILE": path])
        switch code {
        case 0: return .good
        case 125: return .skipped
        case 1...127: return .bad
        // The terminal sends the interrupt to the command, too.
        case ExitCode.interrupted.rawValue: throw CommandFailure(.interrupted, "The search was interrupted.")
        default:
            throw CommandFailure(
                .failed, "“\(words[0])” ended with code \(code), which says nothing about the settings.")
        }
    }

    fileprivate func report(
        _ end: Bisection.Step, _ changes: [BisectedChanges.Change], _ declared: DeclaredSettings
    ) throws {
        let command = arguments.value[0]
        switch end {
        case .check: break
        case .found(let number): try show([number], of: changes, declared)
        case .oneOf(let numbers):
            try show(Array(numbers), of: changes, declared)
            throw CommandFailure(
                .unavailable, "It is one of these \(numbers.count) changes; “\(command)” could not tell which.")
        case .newestIsGood:
            throw CommandFailure(
                .absent, "“\(command)” does not fail with the current settings: there is nothing to find.")
        case .oldestIsBad:
            throw CommandFailure(
                .absent, "“\(command)” also fails with the oldest settings: no known change has broken it.")
        case .endIsUnknown(let state):
            throw CommandFailure(
                .unavailable,
                "“\(command)” can't tell whether the \(state == 0 ? "oldest" : "current") settings are good.")
        }
    }

    /// Shows changes by their numbers.
    private func show(
        _ numbers: [Int], of changes: [BisectedChanges.Change], _ declared: DeclaredSettings
    ) throws {
        let found = numbers.map { ($0, changes[$0 - 1], changes[$0 - 1].differences(hidingSecretsOf: declared)) }
        guard format == nil else {
            let records = try found.map { try $1.record($2, number: $0, of: changes.count) }
            return try show(records.count == 1 ? records[0] : .array(records))
        }
        for (number, change, differences) in found {
            try terminal.say("Change \(number) of \(changes.count):", .strong)
            if var entry = change.entry {
                entry.changes = differences
                try entry.write(to: terminal)
            } else {
                for difference in differences { try terminal.say("  \(difference)") }
            }
        }
    }
}

extension BisectedChanges.Change {
    /// Returns the entry of the history, as `history --json` shows it, with the number of the change.
    fileprivate func record(_ differences: [HistoryChange], number: Int, of count: Int) throws -> SettingValue {
        var entry = entry
        entry?.changes = differences
        var record: SettingValue.Entries = ["changes": try SettingValueEncoder().encode(differences)]
        if let entry, case .dictionary(let entries) = try SettingValueEncoder().encode(entry) { record = entries }
        record["number"] = .integer(Int64(number))
        record["of"] = .integer(Int64(count))
        return .dictionary(record)
    }
}

extension CommandTarget {
    /// Returns all stored values, with secrets and with the record beside the settings.
    fileprivate func wholeTree() async throws -> SettingTree {
        guard case .file(let address) = self else { return try await storedValues() }
        let contents = try address.contents(keepingRecord: true)
        guard contents.outcome != .absent else { throw address.missing }
        return contents.tree
    }

    /// Creates a folder for files like that of the settings.
    fileprivate func bisectionFolder() throws -> BisectionFolder {
        var (name, format, schema) = ("settings.json", FileFormat.json, [UInt8]?.none)
        if case .file(let address) = self {
            name = address.file.lastPathComponent
            let operations = FileOperations(POSIXSystemCalls())
            let bytes = try operations.contentsIfThere(of: FilePath(address.file.path)) ?? []
            format = FileFormat.detect(bytes) ?? (address.file.pathExtension == "plist" ? .propertyListXML : .json)
            schema = try FileStorage.schema(of: address.file)?.bytes
        }
        return try BisectionFolder(name: name, format: format, schema: schema)
    }
}
