public import Settle
public import SettleHTTP
public import SettleInterchange
import Synchronization

/// A web page on which users see and change the settings of a program, in any browser.
///
/// ```swift
/// let panel = SettingsPanel(store, groups: AppSettings.self, configuration: configuration)
/// print("http://127.0.0.1:8080" + panel.makeLink(for: "carol"))
/// let response = await panel.respond(to: request)          // for each request below the panel's path
/// ```
///
/// The page works without a script. With a script it is live: each control saves as it changes, and shows the changes
/// of others as they happen.
///
/// With ``init(_:groups:configuration:)`` the store checks each value, so a page can't store a value that the program
/// could not. Other panels check as far as their schema or their bundle allows. Settings that are owner-only
/// (`SettingsAccess.owner`) or locked are shown and can't be changed, and for secrets a page shows only whether there
/// is one. That must be declared, in groups or in the schema: ``init(valuesOf:configuration:)`` shows secrets in clear.
///
/// A panel is safe to run beside other programs and web pages: requests must use a host name in ``Configuration/hosts``
/// and come from a browser that a one-time link has let in, and changes must come from the panel's own pages.
public final class SettingsPanel: WebResponder {
    let store: SettingsStore
    let source: PanelSource
    private let gate: PanelGate
    private let groups = Mutex<[any SettingsGroup]>([])

    /// The largest body of a request, in bytes: 1 MiB. A larger one is refused with the status 413, and changes nothing.
    public static let bodyLimit = 1 << 20

    /// Creates a panel for the settings that groups declare.
    ///
    /// - Parameters:
    ///   - store: The program's store. The panel keeps it open.
    ///   - groups: The groups that declare the settings. Groups that are already open may be left out.
    ///   - configuration: The location of the panel, and its access.
    public convenience init(
        _ store: SettingsStore, groups: any SettingsGroup.Type..., configuration: Configuration
    ) {
        self.init(store, .groups(groups), configuration)
    }

    /// Creates a panel for the settings that a program's JSON Schema declares, such as the one that
    /// `store.file.writeSchema()` has left beside its file.
    ///
    /// Values that don't fit the schema are refused, as far as a schema can express that.
    public convenience init(_ store: SettingsStore, jsonSchema: SettingValue, configuration: Configuration) {
        self.init(store, .schema(DeclaredSettings(jsonSchema: jsonSchema)), configuration)
    }

    /// Creates a panel for everything stored: each value can be replaced by one of its type.
    ///
    /// Secrets and owner-only settings are unknown: secrets are shown in clear, and everything can be changed.
    public convenience init(valuesOf store: SettingsStore, configuration: Configuration) {
        self.init(store, .values, configuration)
    }

    /// Creates a panel as a `Settings.bundle` describes it, for the settings with its keys.
    ///
    /// Values must be of the type, in the range or on the list of their specifier. The program's declarations apply as
    /// well, if its groups are open in the store. Of variants for phones and for pads, the one for pads is shown.
    ///
    /// `store.domains.register(contentsOf: bundle)` registers its default values.
    public convenience init(_ store: SettingsStore, bundle: SettingsBundle, configuration: Configuration) {
        self.init(store, .bundle(PanelBundle(bundle)), configuration)
    }

    init(_ store: SettingsStore, _ source: PanelSource, _ configuration: Configuration) {
        (self.store, self.source, gate) = (store, source, PanelGate(configuration))
    }

    /// The location of the panel, and its access.
    public var configuration: Configuration { gate.configuration }

    /// The path of the panel, without a slash at its end; empty for the server's root.
    public var path: String { configuration.base }

    /// Makes a link that lets one browser in, once.
    ///
    /// It leads to a page with a button, so that a program that loads links does not spend it. It ends after
    /// ``Configuration/linkLifetime``. It is signed with the panel's key: another process with the same
    /// ``PanelKey/init(file:sessions:)`` can make links for a running server.
    ///
    /// - Parameters:
    ///   - name: The name of the user who gets it, which the history, conflicts and the list of sessions show; control
    ///     characters and everything after 64 characters are left out. `nil` for no particular user: changes
    ///     are then stored under ``Configuration/author``.
    ///   - path: The path of the program's page to which the panel leads back; `nil` for none.
    /// - Returns: The path with a query, to be appended to the address of the server.
    public func makeLink(for name: String? = nil, returningTo path: String? = nil) -> String {
        gate.makeLink(for: name, returningTo: path)
    }

    /// Answers a request. It never throws: a failure becomes a page or a sentence.
    public func respond(to request: WebRequest) async -> WebResponse {
        await gate.answer(request) { visit, formToken in
            await PanelRouter(panel: self, visit: visit, formToken: formToken, base: path).respond()
        }
    }

    /// Returns the panel's contents, with its texts in the user's languages.
    func contents(for languages: [String]) async throws -> PanelContents {
        let strings = configuration.declaredStrings(for: languages)
        let title = title(in: strings)
        switch source {
        case .schema(let declared): return PanelContents(declared, title: title, strings: strings)
        case .bundle(let bundle):
            return PanelContents(bundle.localized(for: languages), of: store, title: title)
        case .groups(let types):
            try await open(types)
            return PanelContents(DeclaredSettings(store.file.schema()), title: title, strings: strings)
        case .values: return contentsOfValues(in: strings)
        }
    }

    /// Returns the contents where nothing is declared: they appear and disappear with the values.
    func contentsOfValues(in strings: PanelStrings) -> PanelContents {
        let declared = DeclaredSettings(describing: store.keys.effectiveValues)
        var contents = PanelContents(declared, title: title(in: strings), strings: strings)
        contents.isEverything = true
        return contents
    }

    /// Returns the title of the first pane. It is never blank, so neither is a heading or a link with it.
    private func title(in strings: PanelStrings) -> String { configuration.title.visible ?? strings("Settings") }
}

extension SettingsPanel {
    /// Declares the groups when they are first needed, and keeps them.
    private func open(_ types: [any SettingsGroup.Type]) async throws {
        guard groups.withLock({ $0.isEmpty }), !types.isEmpty else { return }
        var opened: [any SettingsGroup] = []
        for type in types { opened.append(try await store.group(type)) }
        groups.withLock { $0 = opened }
    }
}

/// The source of a panel's settings.
enum PanelSource: Sendable {
    /// Everything stored, since nothing is declared.
    case values
    case groups([any SettingsGroup.Type])
    case schema(DeclaredSettings)
    case bundle(PanelBundle)
}
