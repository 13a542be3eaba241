import ArgumentParser
import Foundation
import PasscodeLock
import Settle

/// Where the lock is kept.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The file that keeps the lock.", valueName: "path"),
        completion: .file(extensions: ["json", "plist"]))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The folder that keeps the lock, in settings.json. Default: the platform's place for com.example.passcode.",
            valueName: "path"),
        completion: .directory)
    var folder: String?

    func validate() throws {
        if file != nil, folder != nil { throw ValidationError("Give --file or --folder, not both.") }
    }

    /// Opens the store and the lock in it. Ends the program if that can't be done.
    func open() async throws -> (store: SettingsStore, lock: PasscodeLock) {
        do {
            let store =
                if let file {
                    try await SettingsStore.open(at: URL(filePath: file))
                } else if let folder {
                    try await SettingsStore.open(at: URL(filePath: folder).appending(path: "settings.json"))
                } else {
                    try await SettingsStore.open("com.example.passcode")
                }
            return (store, try await PasscodeLock(in: store))
        } catch {
            Terminal.complain("\(error)")
            throw ExitCode.unavailable
        }
    }
}
