import Settle

extension PasscodeLockout {
    /// The conclusion from the copies, as this process knows them.
    func finding(at moment: Moment) -> LockFinding {
        let found = zip(copies, losses).map { settings, loss in
            loss.map { settings.copy.after(losing: $0) } ?? settings.copy
        }
        // A lower limit of the policy says nothing about what may be stored: it may come after the tries.
        var finding = LockFinding(found, known: known, witnessed: witnessed, limit: schedule.limit, at: moment)
        for (index, copy) in copies.enumerated() where copy.intactAudit == nil {
            // A copy that is damaged anyway has been complained about.
            guard found[index].valid != nil else { continue }
            finding.tampering.append("The audit records of copy \(index + 1) have been changed.")
        }
        if finding.healed == nil, finding.tampering.isEmpty, case .enrolled(let record) = finding.conclusion {
            known = record
        }
        return finding
    }

    /// Concludes from the loaded copies, and repairs what disagrees.
    func begin() async {
        guard let moment = try? moment() else { return }
        let finding = finding(at: moment)
        conclusion = finding.conclusion
        guard
            witness != nil || finding.healed != nil || !finding.tampering.isEmpty
                || copies.contains(where: { $0.hasEarlierVerifier != nil })
        else { return }
        await check()
    }

    /// Asks all sources, and repairs what disagrees.
    private func check() async {
        await turn { [self] in _ = try? await transact { _, _, _ in (nil, ()) } }
    }

    /// Called when something has reached stable storage, perhaps by another process or a repeated save.
    func settingsChanged() async {
        guard !isBusy, let moment = try? moment() else { return }
        // Perhaps in only one of the copies.
        if case .notSaved = failure, !stores.allSatisfy(\.isSaved) { return }
        let finding = finding(at: moment)
        // Perhaps another process is about to write the other copy. If not, there is something to be repaired.
        guard finding.tampering.isEmpty else { return await check() }
        conclusion = finding.conclusion
        failure = nil
        publishChange()
    }
}

extension SettingsStore {
    /// A sentence about what a lock's copy at a path had lost when the store was opened.
    func loss(of copy: LockSettings, at path: String) async -> String? {
        // A file that was lost counts even if its journal has everything, as far as anything shows: an attacker may
        // have cut off the journal's end, and removed the file that would show it. The other copy makes up for it.
        if case .recovered(let description, _) = file.loadOutcome { return description }
        if let loss = file.loadOutcome.loss { return loss }
        guard case .empty = copy.copy else { return nil }
        do {
            if try await file.hasTraces(at: path) {
                // Unless another process has just chosen the first passcode.
                try await copy.commit {}
                guard case .empty = copy.copy else { return nil }
                return "It no longer has a lock, but the files beside it show that it had one."
            }
        } catch {
            return "It has no lock, and a check whether it had one failed: \(error)"
        }
        guard file.loadOutcome != .absent else { return nil }
        // An application's other settings say nothing about the lock. Without any, the file was emptied.
        guard let data = try? await file.export() else { return nil }
        let isEmpty = data.allSatisfy { "{} \n".utf8.contains($0) }
        return isEmpty ? "The file is there, but everything in it has been removed." : nil
    }

    fileprivate var isSaved: Bool {
        switch status {
        case .saved, .fileBehind: true
        case .pending, .saving, .failing: false
        }
    }
}

extension StorageContents.Outcome {
    /// A sentence about what was missing when the store was loaded.
    var loss: String? {
        switch self {
        case .absent, .intact: nil
        case .recovered(let description, let isComplete): isComplete ? nil : description
        case .removed(let description): description
        }
    }
}
