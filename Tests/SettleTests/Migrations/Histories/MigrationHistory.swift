import SettleTesting

@testable import Settle

/// A random history of an app that is shipped again and again, without a storage: versions open the values, and between
/// them somebody writes.
struct MigrationHistory {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private var app: ShippedApp
    private var tree = SettingTree()
    private var file = ShippedFile()
    private var log = HistoryLog()

    static func run(seed: UInt64, steps: Int) throws {
        var history = MigrationHistory(app: ShippedApp(seed: seed))
        do {
            for _ in 0..<3 { try history.edit() }
            for _ in 0..<steps { try history.step() }
        } catch {
            throw Violation(description: "\(error)\nThe history with the seed \(seed):\(history.log)")
        }
    }

    private mutating func step() throws {
        switch app.below(8) {
        case 0, 1: app.ship(for: file)
        case 2, 3: try edit()
        case 4: file.editRecord(by: &app, log: &log).map { tree[ShippedFile.recordKey] = $0 }
        default: try open()
        }
    }

    private mutating func edit() throws {
        let key = app.below(4) == 0 ? app.key(in: file) : app.key()
        let spelling = app.spelling(of: key)
        let value = app.below(5) == 0 ? nil : app.value()
        log.note("somebody sets \(spelling.components) to \(value.map { "\($0)" } ?? "nothing")")
        tree[spelling] = value?.stored
        file.values = try ShippedFile.values(in: tree)
    }

    private mutating func open() throws {
        let version = app.version()
        let expected = file.opened(with: version.list)
        log.note("\(version.text) opens: \(expected)")
        do {
            let record = MigrationRecord(in: tree)
            let plan = try MigrationPlan(version.migrations, recorded: record)
            let result = try plan.apply(to: tree)
            let foreign = record.foreignStep(besides: version.list.map(\.name))
            try expected.check(isOlderBecauseOf: foreign)
            guard case .current(let new) = expected else {
                guard plan.due.isEmpty, result == tree else {
                    throw Violation(description: "Something is done to the values of a newer version.")
                }
                return
            }
            let made = plan.due.map(\.name)
            guard file.recorded.map(\.name) + made == new.recorded.map(\.name) else {
                throw Violation(description: "The steps \(made) are made.")
            }
            (tree, file) = (result, new)
        } catch let failure as MigrationFailure {
            try expected.check(failure.description, key: failure.key?.description)
            mend(expected)
        }
        try file.check(tree)
        for (key, value) in file.values {
            let found: ShippedValue? =
                switch value {
                case .number: try tree.value(Int.self, forKey: SettingKey(stored: key)).map { .number($0) }
                case .text: try tree.value(String.self, forKey: SettingKey(stored: key)).map { .text($0) }
                }
            guard found == value else { throw Violation(description: "\(key) has \(String(describing: found)).") }
        }
    }

    /// Removes a value that a step can't convert, so that the history goes on.
    private mutating func mend(_ opening: ShippedFile.Opening) {
        guard case .failed(_, let key) = opening, app.below(2) == 0 else { return }
        guard file.values[key] != nil else { return }
        log.note("somebody removes \(key)")
        for spelling in ShippedFile.spellings(of: key) { tree[spelling] = nil }
        file.values[key] = nil
    }
}
