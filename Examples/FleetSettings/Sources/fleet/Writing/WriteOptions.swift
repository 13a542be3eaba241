import ArgumentParser
import Settle
import SettleEtcd
import SettleInterchange

/// How values are written, and under which conditions.
struct WriteOptions: ParsableArguments {
    @Option(help: "The author of the change.") var author: String?
    @Flag(help: "Only check the values and print what would change.") var dryRun = false
    @Option(help: "Write only if nothing at these keys has been stored since a token, such as `fleet watch` prints it.")
    var ifUnchanged: ChangeToken?
    @Flag(name: .customLong("no-check"), help: "Also store values that break the schema, or replace a group.")
    var isUnchecked = false

    /// The write was refused, and nothing was stored.
    struct Refusal: Error {
        var problems: [String]
    }

    /// Prints the changes, checks them, and stores them in one commit.
    ///
    /// - Parameters:
    ///   - keys: The keys for the condition; `nil` for all.
    ///   - plan: Returns the values after the write. Called in the commit, perhaps several times.
    ///   - body: Makes the write.
    /// - Returns: Whether it is stored: not with `--dry-run`.
    func write(
        to store: SettingsStore, _ storage: EtcdStorage, keys: [SettingKey]?,
        _ plan: (SettingTree) throws -> SettingTree, _ body: () throws -> Void
    ) async throws -> Bool {
        var shown: [ValueChanges.Change]?
        func check() throws {
            let values = store.keys.effectiveValues
            // Without a check it still shows what must stay hidden.
            let schema = try isUnchecked ? (try? storedSchema(storage)) : storedSchema(storage)
            let rules = isUnchecked ? WritePlan.Rules.none : schema.map { .schema($0) } ?? .shapes
            let planned = WritePlan(from: values, to: try plan(values), rules)
            // Again if others were faster, so that it was shown before it is stored.
            if planned.changes.list != shown {
                for change in planned.changes.list {
                    Terminal.say(change.line(hidesValues: schema?.isSecret(change.key) == true))
                }
            }
            shown = planned.changes.list
            guard planned.problems.isEmpty else { throw Refusal(problems: planned.problems) }
        }
        do {
            if dryRun {
                try check()
                Terminal.say(shown?.isEmpty == false ? "Nothing was stored." : "Nothing would change.")
                return false
            }
            if let ifUnchanged {
                try await store.commit(
                    ifUnchangedSince: ifUnchanged, keys: keys?.map(\.description), author: author
                ) {
                    try check()
                    try body()
                }
            } else {
                try await store.commit(author: author) {
                    try check()
                    try body()
                }
            }
            return true
        } catch let refusal as Refusal {
            for problem in refusal.problems { Terminal.complain("fleet: \(problem)") }
            Terminal.complain("fleet: Nothing was stored. With --no-check it would be stored.")
            throw ExitCode.failure
        }
    }

    private func storedSchema(_ storage: EtcdStorage) throws -> StoredSchema? {
        do {
            return try storage.schema().map { try StoredSchema($0) }
        } catch {
            throw Refusal(problems: [
                "The values can't be checked. \(error)", "`fleet schema push` replaces the schema.",
            ])
        }
    }
}
