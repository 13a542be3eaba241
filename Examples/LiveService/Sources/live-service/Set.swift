import ArgumentParser
import LiveServing
import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sets a setting, also while the service runs. Returns once the change is on stable storage.")

    @OptionGroup var files: FileOptions

    @Argument(help: "The setting's key, such as limits.perSecond.")
    var key: String

    @Argument(help: "The value in JSON, such as 50, true or '\"debug\"'.")
    var value: String

    @Option(help: "Who makes the change, for the log.")
    var by = "live-service set"

    func run() async throws {
        let value: SettingValue
        do {
            value = try SettingValue(json: Data(self.value.utf8))
        } catch {
            throw CommandFailure("The value must be JSON; a text needs quotation marks: '\"text\"'. \(error)")
        }
        let key = key
        let by = by
        try await files.withSettings { store, _ in
            guard let setting = store.setting(forKey: key) else { throw CommandFailure.unknown(key) }
            try await store.commit(by: by) { try store.setValue(value, forKey: key) }
            let words = setting.isSecret ? "has been set" : "is \(value.line) now"
            guard let cover = store.setting(forKey: key).flatMap(store.cover) else { return print("\(key) \(words).") }
            print("\(key) \(words) in the file, but not in force here: \(cover) takes precedence.")
        }
    }
}

extension CommandFailure {
    static func unknown(_ key: String) -> CommandFailure {
        CommandFailure("There is no setting “\(key)”. “live-service get” lists all of them.")
    }
}

extension SettingValue {
    /// The value as JSON.
    var line: String {
        (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
