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
    /// The keys whose stored values it can't use, with the reason. Other values are in force there.
    public var problems: [String: String]
    /// The program and the process that report.
    public var program: String
    /// The time of this report by the machine's own clock, in seconds since 2001-01-01 00:00 UTC.
    public var time: Double

    init(name: String, token: ChangeToken?, problems: [String: String], program: String, time: Double) {
        (self.name, self.token, self.problems, self.program, self.time) = (name, token, problems, program, time)
    }

    /// Returns whether everything up to a token is in force there. Returns false for a token of another history, since
    /// that is unknown.
    public func has(_ token: ChangeToken) -> Bool {
        guard let own = self.token, own.history == token.history else { return false }
        return own.position >= token.position
    }
}

extension EtcdMachine {
    private enum Name {
        static let token = "token"
        static let problems = "problems"
        static let program = "program"
        static let time = "time"
    }

    /// The value at a machine's key.
    var bytes: [UInt8] {
        var entries: SettingValue.Entries = [Name.program: .string(program), Name.time: .real(time)]
        if let token { entries[Name.token] = .string("\(token)") }
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
        self.init(
            name: name, token: ChangeToken(object.text(Name.token)), problems: problems, program: program,
            time: object.real(Name.time) ?? 0)
    }

    /// Creates the report of the settings in force in a store.
    init(_ store: SettingsStore, name: String, time: Double) {
        // Read the token first: then the values are at least as new.
        let token = store.history.token
        let problems = store.settings.compactMap { setting in setting.problem.map { (setting.key, $0.description) } }
        let process = ProcessInfo.processInfo
        self.init(
            name: name, token: token, problems: Dictionary(problems) { first, _ in first },
            program: "\(process.processName) \(process.processIdentifier)", time: time)
    }
}
