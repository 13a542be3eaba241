import Settle
import SettleInterchange

/// The program whose settings `checks/people.py` shows: `panel-people DOMAIN`
///
/// It stores a value, leaves its schema, and ends. It keeps a history, as only a program can decide; without one a page
/// can't say who changed a setting, and can't go back.
@main
struct PanelPeople {
    struct App: SettingsGroup {
        @Setting(title: "Sounds") var sounds = true
        @Setting(title: "Greeting", help: "What a visitor reads first.") var greeting = ""
    }

    static func main() async throws {
        let store = try await SettingsStore.open(
            CommandLine.arguments[1], configuration: .init(history: .keep()))
        let app = try await store.group(App.self)
        try await store.file.writeSchema()
        try await store.commit(author: "setup") { app.greeting = "Welcome" }
        try await store.close()
    }
}
