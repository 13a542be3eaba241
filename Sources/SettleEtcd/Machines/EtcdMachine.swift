public import Settle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings in force on a machine of a fleet, as reported to the cluster.
public struct EtcdMachine: Sendable, Hashable {
    /// The name under which it reports.
    public var name: String
    /// The newest transaction in force there; `nil` before anything was stored.
    public var token: ChangeToken?
    /// The other prefixes of clusters that its store searches, such as those of its host or of a group, with the newest
    /// transaction of each that is in force there; `nil` as the value before anything was read.
    public var layers: [String: ChangeToken?]
    /// The keys whose stored values it can't use, with the reason. Other values are in force there.
    public var problems: [String: String]
    /// The program and the process that report.
    public var program: String
    /// The time of this report by the machine's own clock, in seconds since 2001-01-01 00:00 UTC.
    public var time: Double

    init(
        name: String, token: ChangeToken?, layers: [String: ChangeToken?] = [:], problems: [String: String],
        program: String, time: Double
    ) {
        (self.name, self.token, self.layers, self.problems) = (name, token, layers, problems)
        (self.program, self.time) = (program, time)
    }

    /// Returns whether everything up to a token of the machine's own prefix is in force there. Returns false for a
    /// token of another history, since that is unknown.
    public func has(_ token: ChangeToken) -> Bool { Self.reaches(self.token, token) }

    /// Returns whether everything up to a token of another prefix is in force there, such as that of a group of
    /// machines.
    ///
    /// - Parameters:
    ///   - token: A token of that prefix.
    ///   - prefix: The prefix, such as `fleet.forGroup("canary").prefix`.
    /// - Returns: False if that is unknown; `nil` if the machine does not search the prefix.
    public func has(_ token: ChangeToken, under prefix: String) -> Bool? {
        layers[KeySpace(prefix: prefix).prefix].map { Self.reaches($0, token) }
    }

    private static func reaches(_ own: ChangeToken?, _ token: ChangeToken) -> Bool {
        guard let own, own.history == token.history else { return false }
        return own.position >= token.position
    }
}

extension EtcdMachine {
    private enum Name {
        static let token = "token"
        static let layers = "layers"
        static let problems = "problems"
        static let program = "program"
        static let time = "time"
    }

    /// The value at a machine's key.
    var bytes: [UInt8] {
        var entries: SettingValue.Entries = [Name.program: .string(program), Name.time: .real(time)]
        if let token { entries[Name.token] = .string("\(token)") }
        if !layers.isEmpty {
            let tokens = layers.map { ($0.key, SettingValue.string($0.value.map { "\($0)" } ?? "")) }
            entries[Name.layers] = .dictionary(SettingValue.Entries(uniqueKeysWithValues: tokens))
        }
        if !problems.isEmpty {
            entries[Name.problems] = .dictionary(
                SettingValue.Entries(uniqueKeysWithValues: problems.map { ($0.key, .string($0.value)) }))
        }
        return GatewayObject(entries).json
    }

    /// - Returns: `nil` for a value that no machine has written.
    init?(name: String, _ bytes: [UInt8]) {
        guard let object = GatewayObject(bytes), let program = object.name(Name.program) else { return nil }
        var problems: [String: String] = [:]
        if case .dictionary(let entries)? = object.entries[Name.problems] {
            for case (let key, .string(let reason)) in entries { problems[key] = reason }
        }
        var layers: [String: ChangeToken?] = [:]
        for (prefix, token) in object.object(Name.layers)?.entries ?? [:] {
            // Whatever else there is, the machine searches the prefix.
            let text = if case .string(let text) = token { text } else { "" }
            layers.updateValue(ChangeToken(text), forKey: prefix)
        }
        self.init(
            name: name, token: ChangeToken(object.text(Name.token)), layers: layers, problems: problems,
            program: program, time: object.real(Name.time) ?? 0)
    }

    /// Creates the report of the settings in force in a store.
    init(_ store: SettingsStore, name: String, time: Double) {
        // Read the tokens first: then the values are at least as new.
        let (token, domains) = (store.history.token, store.domainTokens)
        let found = store.settings.compactMap { setting in setting.problem.map { (setting.key, $0.description) } }
        var problems = Dictionary(found) { first, _ in first }
        var layers: [String: ChangeToken?] = [:]
        for domain in domains {
            guard let source = domain.source as? EtcdDomainSource else { continue }
            layers.updateValue(domain.token, forKey: source.prefix)
            for (key, reason) in store.unusableValues(in: domain.name) where problems[key] == nil {
                problems[key] = "\(reason) (in the domain “\(domain.name)”)"
            }
        }
        let process = ProcessInfo.processInfo
        self.init(
            name: name, token: token, layers: layers, problems: problems,
            program: "\(process.processName) \(process.processIdentifier)", time: time)
    }
}
