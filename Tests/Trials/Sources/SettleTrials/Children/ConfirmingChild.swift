import Foundation
import Settle
import TrialChecks

/// What the writers of a file with commits that are to be confirmed share.
struct ConfirmedSettings: SettingsGroup {
    /// Set by such commits only, to another number each time.
    @Setting var number: Int?
    @Setting var total = 0
}

/// Makes commits that are to be confirmed, and confirms or reverts its own and others', until it is killed or asked to
/// end.
struct ConfirmingChild: ChildRole {
    var place: ChildPlace
    var writer: Int
    var seed: UInt64
    var firstStep: Int

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let store = try await RememberedFile.open(place, acknowledgements)
        let settings = try await store.group(ConfirmedSettings.self)
        let end = StandardStreams.untilParentSpeaks()
        try await ChildSecret(in: store).write(firstStep)
        say("ready")
        var random = SeededGenerator(seed: seed)
        var step = firstStep
        while !end.hasCome {
            // Fewer are ended by a writer than are made, so that time takes back some.
            let act = (ConfirmingRecord.Act.allCases + [.commit]).randomElement(using: &random) ?? .count
            let within = act == .commit ? Int.random(in: 20...400, using: &random) : 0
            let name = ReportedTransaction.author(ofStep: step, by: writer)
            acknowledgements.add("try", step, act.rawValue, within, text: name)
            do {
                try await perform(act, step, within, as: name, store, settings)
                acknowledgements.add("done", text: name)
            } catch let error as SettingsError where error.code == .nothingUnconfirmed {
                acknowledgements.add("refused", text: name)
            }
            step += 1
            MonotonicTime.pause(microseconds: Int.random(in: 0...100_000, using: &random))
        }
        try await store.close()
    }

    private func perform(
        _ act: ConfirmingRecord.Act, _ step: Int, _ within: Int, as name: String, _ store: SettingsStore,
        _ settings: ConfirmedSettings
    ) async throws {
        switch act {
        case .commit:
            try await store.commit(author: name, confirmWithin: .milliseconds(within)) {
                settings.number = step * 100 + writer
            }
        case .confirm: try await store.unconfirmed.confirm(author: name)
        case .revert: try await store.unconfirmed.revert(author: name)
        case .count: try await store.commit(author: name) { settings.total += 1 }
        }
    }
}

/// Waits until nothing is to be confirmed any more, and acknowledges the history, oldest first, and the values.
struct ConfirmedChild: ChildRole {
    var place: ChildPlace

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let store = try await RememberedFile.open(place, acknowledgements)
        let settings = try await store.group(ConfirmedSettings.self)
        // The main thread may block: what takes the commit back has threads of its own.
        let isSettled: Bool? = MonotonicTime.poll(atMost: 10) { store.unconfirmed.change == nil ? true : nil }
        if isSettled == nil { acknowledgements.add("standing") }
        var entries: [ConfirmingEntry] = []
        for try await entry in store.history.entries() { entries.append(ConfirmingEntry(entry)) }
        for entry in entries.reversed() { acknowledgements.add(entry.acknowledgement) }
        acknowledgements.add("values", settings.number ?? -1, settings.total)
        try await store.close()
        acknowledgements.add("end")
    }
}

extension ConfirmingEntry {
    init(_ entry: HistoryEntry) {
        func value(_ key: String) -> (old: Int?, new: Int?) {
            let change = entry.changes.first { $0.key == key }
            return (Self.number(change?.oldValue), Self.number(change?.newValue))
        }
        let number = value("number")
        self.init(
            author: entry.author.name, time: Int(entry.time.timeIntervalSinceReferenceDate * 1e6), before: number.old,
            after: number.new, total: value("total").new, reason: entry.reason)
    }

    private static func number(_ value: SettingValue?) -> Int? {
        if case .integer(let number)? = value { Int(number) } else { nil }
    }
}
