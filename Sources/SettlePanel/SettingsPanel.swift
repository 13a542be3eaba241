public import Settle
public import SettleInterchange
import Synchronization

/// A page on which people see and change the settings of a program, in any browser.
///
/// ```swift
/// let panel = SettingsPanel(store, groups: AppSettings.self, configuration: configuration)
/// print("http://127.0.0.1:8080" + panel.makeLink())
/// let response = await panel.respond(to: request)          // for each request below the panel's path
/// ```
///
/// The page works without a script. With one it is live: each control saves as it changes, and shows what others change
/// as that happens.
///
/// With ``init(_:groups:configuration:)`` the store checks each value, so a page can't store what the program could
/// not. Other panels check as far as their schema or their bundle tells. What belongs to an owner
/// (`SettingsAccess.owner`) or is locked is shown and can't be changed, and of secrets a page shows only whether there
/// is one. That needs to be declared, in groups or in the schema: ``init(valuesOf:configuration:)`` shows secrets in
/// clear.
///
/// A panel is safe to run beside other programs and web pages: requests must come by a name of
/// ``Configuration/hosts``, changes from the panel's own pages, and from a browser that a one-time link has let in.
public final class SettingsPanel: Sendable {
    let store: SettingsStore
    let source: PanelSource
    private let gate: PanelGate
    private let groups = Mutex<[any SettingsGroup]>([])

    /// The largest body of a request, in bytes: 1 MiB.
    public static let bodyLimit = 1 << 20

    /// A panel for what groups declare.
    ///
    /// - Parameters:
    ///   - store: The program's store. The panel keeps it open.
    ///   - groups: The groups that declare the settings. Those that are open already need not be given.
    ///   - configuration: Where the panel is, and who may use it.
    public convenience init(
        _ store: SettingsStore, groups: any SettingsGroup.Type..., configuration: Configuration
    ) {
        self.init(store, .groups(groups), configuration)
    }

    /// A panel for what the JSON Schema of a program declares, such as the one that
    /// `store.file.writeSchema()` has left beside its file.
    ///
    /// Values that don't fit the schema are refused, as far as a schema can tell.
    public convenience init(_ store: SettingsStore, jsonSchema: SettingValue, configuration: Configuration) {
        self.init(store, .schema(DeclaredSettings(jsonSchema: jsonSchema)), configuration)
    }

    /// A panel for whatever is stored: each value can be replaced by one of its type.
    ///
    /// Nothing tells what is a secret or belongs to an owner: secrets are shown in clear, and everything can be
    /// changed.
    public convenience init(valuesOf store: SettingsStore, configuration: Configuration) {
        self.init(store, .values, configuration)
    }

    /// A panel as a `Settings.bundle` describes it, for the settings that have its keys.
    ///
    /// Values must be of the type, in the range or on the list of their specifier; what a program declares counts as
    /// well, if its groups are open in the store. Of variants for phones and for pads, the one for pads is shown.
    ///
    /// `store.domains.register(contentsOf: bundle)` makes its default values count.
    public convenience init(_ store: SettingsStore, bundle: SettingsBundle, configuration: Configuration) {
        self.init(store, .bundle(bundle), configuration)
    }

    init(_ store: SettingsStore, _ source: PanelSource, _ configuration: Configuration) {
        (self.store, self.source, gate) = (store, source, PanelGate(configuration))
    }

    /// Where the panel is, and who may use it.
    public var configuration: Configuration { gate.configuration }

    /// The path below which the panel is, without a slash at its end; empty for the server's root.
    public var path: String { configuration.base }

    /// Makes a link that lets one browser in, once.
    ///
    /// It leads to a page with a button, so that a program that looks at links does not spend it. It ends after
    /// ``Configuration/linkLifetime``, and with this program.
    ///
    /// - Parameter path: The path of the program's page to which the panel leads back; `nil` for none.
    /// - Returns: The path with a query, to be put behind the address of the server.
    public func makeLink(returningTo path: String? = nil) -> String {
        gate.makeLink(returningTo: path)
    }

    /// Answers a request. It never throws: what fails is a page or a sentence.
    public func respond(to request: PanelRequest) async -> PanelResponse {
        await gate.answer(request) { visit, formToken in
            await PanelRouter(panel: self, visit: visit, formToken: formToken, base: path).respond()
        }
    }

    /// What the panel shows, with its texts in the languages of a person.
    func contents(for languages: [String]) async throws -> PanelContents {
        let strings = configuration.strings(for: languages)
        switch source {
        case .schema(let declared): return PanelContents(declared, title: configuration.title, strings: strings)
        case .bundle(let bundle):
            var contents = PanelContents(bundle.localized(for: languages), of: store, title: configuration.title)
            contents.language = bundle.language(for: languages)
            contents.hasIcon = bundle.icon != nil
            return contents
        case .groups(let types):
            try await open(types)
            return PanelContents(DeclaredSettings(store.file.schema()), title: configuration.title, strings: strings)
        case .values: return contentsOfValues(in: strings)
        }
    }

    /// What there is to show where nothing is declared: it comes and goes with the values.
    func contentsOfValues(in strings: PanelStrings) -> PanelContents {
        let declared = DeclaredSettings(describing: store.keys.effectiveValues)
        var contents = PanelContents(declared, title: configuration.title, strings: strings)
        contents.isEverything = true
        return contents
    }
}

extension SettingsPanel {
    /// Declares the groups when they are needed first, and keeps them.
    private func open(_ types: [any SettingsGroup.Type]) async throws {
        guard groups.withLock({ $0.isEmpty }), !types.isEmpty else { return }
        var opened: [any SettingsGroup] = []
        for type in types { opened.append(try await store.group(type)) }
        groups.withLock { $0 = opened }
    }
}

/// Where a panel's settings come from.
enum PanelSource: Sendable {
    /// Whatever is stored, since nothing is declared.
    case values
    case groups([any SettingsGroup.Type])
    case schema(DeclaredSettings)
    case bundle(SettingsBundle)
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
