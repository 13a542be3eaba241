import Settle

struct LockSettings: SettingsGroup {
    @Setting var isEnabled = false
    @Setting(in: 0...20) var attemptCount = 0
}

let store = try await SettingsStore.open("com.example.quick-start")
let settings = try await store.group(LockSettings.self)
for await count in settings.$attemptCount {  // the current value first, then the newest one after each change
    print("attemptCount is \(count)")
    if count == 2 { break }
    settings.attemptCount += 1  // atomic, published, and saved a moment later
}
do { try settings.$attemptCount.set(21) } catch { print(error) }
try await settings.commit {  // all or nothing, and on disk before it returns
    settings.isEnabled = true
    settings.attemptCount = 0
}
try await store.close()  // the file has everything
