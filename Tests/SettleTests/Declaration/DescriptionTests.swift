import Observation
import Settle
import SettleTesting
import Testing

private struct Passcode: SettingsGroup {
    @Setting var isEnabled = false
    @Setting("count", in: 0...20) var attemptCount = 3
    @Setting var nextCheck: Int?
}

private struct App: SettingsGroup {
    @Setting var version = "1.0"
    @Setting var token = Secret("marker")
    @Setting var names: [String?] = ["a", nil]
    let passcode = Passcode()
    let build = 7
}

/// A setting with the name of the protocol's property.
private struct Described: SettingsGroup {
    @Setting var description = "mine"
}

private struct Frame: Codable, Sendable, Equatable {
    var width = 80
    var title: String? = "x"
}

private struct Window: SettingsGroup {
    @Setting var frame = Frame()
    @Setting var secrets = ["a": Secret("marker")]
}

private struct Account: Codable, Sendable, Equatable {
    var name = "Carol"
    var token: Secret<String>? = Secret("marker")
}

private struct Accounts: SettingsGroup {
    @Setting var accounts = [Account()]
    @Setting var account = Account()
}

@Suite(.timeLimit(.minutes(10))) struct DescriptionTests {
    private static let app =
        #"App(version: "1.0", token: ••••, names: ["a", nil], "#
        + "passcode: Passcode(isEnabled: false, count: 3, nextCheck: nil), build: 7)"

    @Test("A group shows its keys and values in every way", arguments: [false, true]) func groupShowsKeys(
        isOpened: Bool
    ) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = isOpened ? try await store.group(App.self, at: "app") : App()
        #expect(String(describing: settings) == Self.app && String(reflecting: settings) == Self.app)
        #expect("\(settings)" == Self.app && settings.description == Self.app)
        #expect("\([settings.passcode])" == "[Passcode(isEnabled: false, count: 3, nextCheck: nil)]")
        settings.passcode.nextCheck = 5
        settings.version = ""
        #expect("\(settings.passcode)" == "Passcode(isEnabled: false, count: 3, nextCheck: 5)")
        #expect("\(settings)".hasPrefix(#"App(version: "","#))
        #expect("\(Described())" == "mine")
    }

    @Test("`dump` and the debugger show values and no secret", arguments: [false, true]) func dumpDebuggerShow(
        isOpened: Bool
    ) async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = isOpened ? try await store.group(App.self, at: "app") : App()
        var dumped = ""
        dump(settings, to: &dumped)
        let printed = _DebuggerSupport.stringForPrintObject(settings)
        for text in [dumped, printed] {
            #expect(text.contains("1.0") && text.contains("count: 3") && text.contains("••••"), "\(text)")
            #expect(!text.contains("marker") && !text.contains("SettingBox"), "\(text)")
        }
        #expect(dumped.contains("- _attemptCount: 3") && dumped.contains("- _token: ••••"), "\(dumped)")
    }

    @Test("A part within a secret is not shown") func partWithinSecret() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(Accounts.self)
        #expect("\(settings.$accounts[0].token.revealed)" == "accounts[0]?.token?.revealed: ••••")
        #expect("\(settings.$account.token.revealed)" == "account.token?.revealed: ••••")
        #expect("\(settings.$accounts[0].name)" == #"accounts[0]?.name: "Carol""#)
        #expect(settings.$account.token.revealed.value == "marker")
    }

    @Test("References, parts, changes, mutations, snapshots and stores show keys and values")
    func referencesPartsChanges() async throws {
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        let settings = try await store.group(App.self, at: "app")
        let window = try await store.group(Window.self, at: "window")
        #expect("\(settings.passcode.$attemptCount)" == "app.passcode.count: 3")
        #expect("\(settings.$token)" == "app.token: ••••")
        #expect("\(settings.passcode.$attemptCount.readOnly)" == "app.passcode.count: 3")
        #expect("\(window.$frame.width)" == "window.frame.width: 80")
        #expect("\(window.$frame.title.unwrapped() as Any)".contains(#"window.frame.title?: "x""#))
        #expect("\(window.$secrets["a"])" == #"window.secrets["a"]: ••••"#)
        var changes = settings.changes.makeAsyncIterator()
        try settings.update(author: "cli") {
            settings.passcode.attemptCount = 4
            settings.token = Secret("another marker")
            settings.passcode.nextCheck = 5
        }
        let change = try #require(await changes.next())
        #expect(
            "\(change)" == "revision 1, local, by “cli”: app.passcode.count: 3 → 4, app.token: •••• → ••••, "
                + "app.passcode.nextCheck: nil → 5")
        let snapshot = settings.snapshot()
        #expect("\(snapshot.passcode)" == "Snapshot(revision: 1, Passcode(isEnabled: false, count: 4, nextCheck: 5))")
        try await store.flush()
        #expect(
            "\(store)" == "SettingsStore(revision: 1, status: saved, settings: [app.names: [\"a\", nil], "
                + "app.passcode.count: 4, app.passcode.isEnabled: false, app.passcode.nextCheck: 5, app.token: ••••, app.version: \"1.0\", "
                + "window.frame: Frame(width: 80, title: \"x\"), window.secrets: ••••])")
        for value in [store, snapshot, change, settings.$token, window.$secrets["a"]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            let printed = _DebuggerSupport.stringForPrintObject(value)
            #expect(!dumped.contains("marker") && !printed.contains("marker"), "\(dumped)")
        }
    }

    @Test("A store of many settings shows the first hundred") func storeManySettings() async throws {
        struct Single: SettingsGroup {
            @Setting var number = 1
        }
        let store = try await SettingsStore.open(storage: InMemoryStorage())
        for index in 0..<120 { _ = try await store.group(Single.self, at: "g\(1000 + index)") }
        #expect("\(store)".hasSuffix("g1099.number: 1, and 20 more])") && "\(store)".contains("[g1000.number: 1, "))
    }

    @Test("Printing reads with tracking, as reading does") func printingReadsTracking() async {
        let settings = App()
        let (changed, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking {
            _ = "\(settings)"
        } onChange: {
            continuation.finish()
        }
        settings.passcode.attemptCount = 9
        for await _ in changed {}
    }
}
