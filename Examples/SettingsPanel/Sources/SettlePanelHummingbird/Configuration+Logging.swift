// Settle 0.1.0-dev: copy this file. The guide “A panel for your program” names the products that it needs.

public import Logging
public import SettlePanel

extension SettingsPanel.Configuration {
    /// Logs who came and went, what was refused and what was changed: refusals as warnings, changes as information, and
    /// the rest as notices. No line has a value, a link or a cookie.
    public mutating func log(to logger: Logger) {
        audit = { logger.log(level: $0.level, "\($0.message)", metadata: $0.metadata) }
    }
}

extension PanelAuditEvent {
    fileprivate var level: Logger.Level {
        switch kind {
        case .refused: .warning
        case .changed: .info
        default: .notice
        }
    }

    fileprivate var message: String {
        switch kind {
        case .entered: "A browser was let in to the settings."
        case .left: "A user of the settings has signed out."
        case .endedSession: "A session of the settings was ended."
        case .changed: "Settings were changed on a page."
        case .refused: "A request to the settings was refused."
        }
    }

    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["method": .string(method), "path": .string(path)]
        if let user { metadata["user"] = .string(user) }
        switch kind {
        case .changed(let keys): metadata["keys"] = .array(keys.map { .string($0) })
        case .refused(let status): metadata["status"] = .stringConvertible(status)
        case .endedSession(let name?): metadata["session"] = .string(name)
        case .entered, .left, .endedSession(nil): break
        }
        return metadata
    }
}
