/// The reason why values can't be migrated.
struct MigrationFailure: Error, CustomStringConvertible {
    /// The name of the step, once it is known.
    var step: String?
    var key: SettingKey?
    /// The reason, as a sentence.
    var reason: String
    var underlying: (any Error)?

    var description: String {
        let place = key.map { ", at “\($0)”" } ?? ""
        return (step.map { "The step “\($0)” has failed\(place): " } ?? "") + reason
    }

    /// Runs a part of a step, and names the key at which it failed unless an inner part has named another.
    static func naming<Result>(_ key: SettingKey, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as MigrationFailure {
            throw failure
        } catch {
            throw MigrationFailure(key: key, reason: "\(error)", underlying: error)
        }
    }

    /// Creates the failure for a step that the storage has recorded and that the list has lost or renamed.
    ///
    /// - Parameters:
    ///   - later: A step of the list that has run after it.
    ///   - due: A step of the list that has not run.
    static func lost(_ name: String, before later: String?, without due: String?) -> MigrationFailure {
        let before = later.map { ", although it ran before “\($0)”, which is" }
        let reason = before ?? due.map { ", and “\($0)”, which is, has not run" } ?? ""
        return MigrationFailure(
            reason:
                "The step “\(name)” is recorded but not in the list of migrations\(reason). A shipped step keeps its "
                + "name and its position. Put it back, or pass this name as `name:` to the step that was renamed.")
    }

    init(step: String? = nil, key: SettingKey? = nil, reason: String, underlying: (any Error)? = nil) {
        self.step = step
        self.key = key
        self.reason = reason
        self.underlying = underlying
    }

    init(_ error: any Error, in step: SettingsMigration) {
        self = error as? MigrationFailure ?? MigrationFailure(reason: "\(error)", underlying: error)
        self.step = step.name
    }
}
