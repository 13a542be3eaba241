import Hummingbird
import Settle
import SettleHTTP
import SettleInterchange
import SettlePanel
import SettlePanelHummingbird

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Samples of the guides of SettleHTTP and SettlePanel that nothing else compiles as they stand, each in the context
// that its page describes. Nothing calls them: the tests of these libraries and the checks of this package have what
// they do.

private struct Admin: SettingsGroup {
    @Setting var token = Secret("")
    @Setting var tokens = Secret<[String: APIToken]>([:])
}

private struct AppSettings: SettingsGroup {
    let admin = Admin()
}

private func log(_ message: String) {}

private enum SettingsOverHTTP {
    static func serve(_ store: SettingsStore, to router: Router<BasicRequestContext>) async throws {
        let settings = try await store.group(AppSettings.self)
        let api = SettingsAPI(
            store, groups: AppSettings.self,
            configuration: .init(access: .tokens(.setting(settings.admin.$token, name: "admin"))))
        router.add(middleware: SettingsMiddleware(api))
    }

    static func offerFlags(of app: AppSettings) -> SettingsAPI.Configuration {
        var configuration = SettingsAPI.Configuration(access: .tokens(.setting(app.admin.$tokens)))
        configuration.flags = .authorized
        return configuration
    }

    static func run(_ router: Router<BasicRequestContext>, over store: SettingsStore) async throws {
        let manager = ServiceManager()
        async let _: Void = manager.reloadOnHangUp(store)
        let application = Application(router: router, onServerRunning: { _ in try? manager.ready() })
        try await application.runService()
        try? manager.stopping()
        try await store.close()
    }
}

/// The first page.
private enum FirstPanel {
    static func link(to store: SettingsStore, signedWith key: PanelKey) {
        let panel = SettingsPanel(
            store, groups: AppSettings.self,
            configuration: .init(
                title: "My service", path: "/settings/panel", access: .sessions(key, HMACAuthentication())))
        print("http://127.0.0.1:8080" + panel.makeLink(for: "carol"))
    }
}

private enum PanelForYourProgram {
    static func serve(_ store: SettingsStore, to router: Router<BasicRequestContext>) throws {
        let key = try PanelKey(file: URL(filePath: "/var/lib/app/panel-key"))
        let panel = SettingsPanel(
            store, groups: AppSettings.self,
            configuration: .init(
                title: "My service", path: "/settings/panel", access: .sessions(key, HMACAuthentication())))
        router.addSettings(panel)
        log("Settings: http://127.0.0.1:8080" + panel.makeLink(for: "carol", returningTo: "/"))
    }

    static func translate(_ configuration: inout SettingsPanel.Configuration, by germanStrings: URL) throws {
        configuration.declaredTexts = ["de": try StringTable.read(Data(contentsOf: germanStrings)).table]
    }
}
