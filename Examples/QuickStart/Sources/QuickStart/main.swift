import Foundation
import Settle

struct PasscodeSettings: SettingsGroup {
    @Setting var isPasscodeEnabled = false
    @Setting(in: 0...20) var attemptCount = 0
    @Setting var checkInterval: TimeInterval = 60
    @Setting("nextCheck") var nextCheckDate: Date?
}

struct AppSettings: SettingsGroup {
    @Setting var applicationVersion = "1.0"
    let passcode = PasscodeSettings()
}

let folder = FileManager.default.temporaryDirectory.appending(path: "quick-start-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appending(path: "settings.json")

// An app writes `SettingsStore.open("com.example.app")` and gets the platform's place for it.
let store = try await SettingsStore.open(at: file)
let settings = try await store.group(AppSettings.self)

// The current value first, then each newer one. Each `+= 1` is atomic, published, and saved a moment later.
for await count in settings.passcode.$attemptCount {
    print("attemptCount is \(count)")
    if count == 3 { break }
    settings.passcode.attemptCount += 1
}

// All or nothing: one change for whoever watches, one save.
let changes = settings.changes
try settings.update {
    settings.passcode.isPasscodeEnabled = true
    settings.passcode.checkInterval *= 2
}
for await change in changes {
    print("one change:", change.mutations.map(\.description).joined(separator: ", "))
    break
}

// A value against its rule never gets in.
do {
    try settings.passcode.$attemptCount.set(21)
} catch {
    print(error)
}

// On disk before it returns.
try await settings.commit { settings.passcode.nextCheckDate = Date(timeIntervalSince1970: 1_800_000_000) }
print(try String(contentsOf: file, encoding: .utf8))
