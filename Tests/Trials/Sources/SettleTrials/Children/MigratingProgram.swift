import Settle

/// A version of a program whose settings change their names and shapes, or a tool that knows nothing of it.
enum MigratingProgram: Int, Codable, Sendable {
    case tool, first, second, third

    /// How many programs share a file.
    static let count = 7

    /// - Parameter ran: Called at the end of the last step.
    func migrations(_ ran: @escaping @Sendable () -> Void = {}) -> [SettingsMigration]? {
        let all = Self.all(ran)
        return switch self {
        case .tool: nil
        case .first: []
        case .second: Array(all.prefix(1))
        case .third: all
        }
    }

    private static func key(_ writer: String, _ name: String) -> SettingKey { .path("writer", writer, name) }

    /// Made twice, each of these steps would show, or fail.
    private static func all(_ ran: @escaping @Sendable () -> Void) -> [SettingsMigration] {
        let writers = (0..<count).map { "w\($0)" }
        let conversions = writers.map { writer in
            SettingsMigration.convert(key(writer, "twice"), from: Int.self, to: String.self) { "\($0)" }
        }
        let splits = writers.map { writer in
            SettingsMigration.split(key(writer, "pair"), from: String.self) { pair in
                let sides = pair.split(separator: ":").compactMap { Int($0) }
                guard sides.count == 2 else { throw TrialError("“\(pair)” is no pair.") }
                return [key(writer, "left"): sides[0], key(writer, "right"): sides[1]]
            }
        }
        let last = SettingsMigration("count the migrations") { tree in
            try tree.setValue((tree.value(Int.self, forKey: "closure") ?? 0) + 1, forKey: "closure")
            ran()
        }
        return [.rename("total", to: "sum.total")] + conversions + splits
            + [.move("writer", to: "program.writer"), last]
    }
}

/// The counter that all programs add to.
struct TotalSettings: SettingsGroup {
    @Setting var total = 0
}

/// A program's own settings, before the migration and afterwards.
struct OldWriterSettings: SettingsGroup {
    @Setting var step = 0
    @Setting var twice = 0
    @Setting var pair = "0:0"
}

struct NewWriterSettings: SettingsGroup {
    @Setting var step = 0
    @Setting var twice = "0"
    @Setting var left = 0
    @Setting var right = 0
}
