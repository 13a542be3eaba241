import Foundation
import Settle
import TrialChecks

/// Commits all the time to a file that a newer program migrates, or migrates it.
struct MigratingChild: ChildRole {
    var place: ChildPlace
    var program: MigratingProgram
    var writer: Int
    var firstStep: Int
    /// The number of commits, which all but the newest program count from the moment that they see the migration.
    var steps: Int

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let migrations = program.migrations {
            acknowledgements.add("migrating", Int(MonotonicTime.now()))
            say("migrating")
        }
        let file = URL(filePath: place.file)
        let store = try await SettingsStore.open(at: file, searching: place.searching, migrations: migrations)
        acknowledgements.add("opened", Int(MonotonicTime.now()))
        let write = try await writes(in: store)
        try await writeSecret(in: store)
        say("ready")
        var (step, left) = (firstStep, steps)
        while left > 0 {
            acknowledgements.add("try", step)
            let start = MonotonicTime.now()
            do {
                try await store.commit { [step] in try write(step) }
            } catch  where Self.isRefused(error) {
                acknowledgements.add("refused", step)
                try await insist(store) { [step] in try write(step) }
                break
            }
            let end = MonotonicTime.now()
            acknowledgements.add("done", Int(end), Int(end - start))
            step += 1
            guard try isCounted(store) else { continue }
            if left == steps { acknowledgements.add("migrated", step) }
            left -= 1
        }
        try await store.close()
    }

    private func writeSecret(in store: SettingsStore) async throws {
        do {
            try await ChildSecret(in: store).write(firstStep)
        } catch  where Self.isRefused(error) {
            // A newer program has migrated the file already.
        }
    }

    /// Whether the commits are counted by now.
    private func isCounted(_ store: SettingsStore) throws -> Bool {
        try program == .third || store.keys.value(forKey: "closure", as: Int.self) != nil
    }

    private func writes(in store: SettingsStore) async throws -> @Sendable (Int) throws -> Void {
        let writer = writer
        switch program {
        case .tool:
            return { step in
                try store.keys.setValue(step, forKey: "tools.w\(writer)")
                try store.keys.setValue((store.keys.value(forKey: "tools.total") ?? 0) + 1, forKey: "tools.total")
            }
        case .first, .second:
            let totals = try await totals(in: store)
            let own = try await store.group(OldWriterSettings.self, at: .path("writer", "w\(writer)"))
            return { step in
                totals.total += 1
                (own.step, own.twice, own.pair) = (step, 2 * step, "\(step):\(step)")
            }
        case .third:
            let totals = try await totals(in: store)
            let own = try await store.group(NewWriterSettings.self, at: .path("program", "writer", "w\(writer)"))
            return { step in
                totals.total += 1
                (own.step, own.twice, own.left, own.right) = (step, "\(2 * step)", step, step)
            }
        }
    }

    private func totals(in store: SettingsStore) async throws -> TotalSettings {
        program == .first ? try await store.group() : try await store.group(at: "sum")
    }

    /// Nothing may be saved any more, whatever the program tries.
    private func insist(_ store: SettingsStore, _ write: @escaping @Sendable () throws -> Void) async throws {
        for _ in 0..<3 {
            // Until the store has merged the migration, these change its memory.
            try? store.update { try write() }
            try? store.keys.setValue(1, forKey: .path("late", "w\(writer)"))
            do {
                try await store.commit { try write() }
                throw TrialError("A commit after the refusal was not refused.")
            } catch  where Self.isRefused(error) {}
        }
        let isToldWithin10Seconds = MonotonicTime.poll(atMost: 10) { () -> Bool? in
            do {
                try store.update { try write() }
                return nil
            } catch {
                return Self.isRefused(error) ? true : nil
            }
        }
        guard isToldWithin10Seconds != nil else { throw TrialError("Updates after the refusal are not refused.") }
    }

    private static func isRefused(_ error: any Error) -> Bool {
        ((error as? SettingsError)?.underlying as? StorageError)?.code == .migrated
    }
}
