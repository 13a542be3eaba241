#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The reason why a key has its value: the value of each domain, its location, and which one is in force.
///
/// ```
/// passcode.attemptCount = 3, from application
///   host         25  refused: it must be in 0...20  (“/home/carol/.config/app/settings@laptop.json”, line 2)
/// ▸ application  3   (“/home/carol/.config/app/settings.json”, line 4)
///   global       7   covered  (“/home/carol/.config/settle/global.json”, line 9)
///   declaration  0   covered  (PasscodeSettings.attemptCount)
///   revision 12 by “cli” at 2026-11-22T10:00:00Z, on stable storage
/// ```
///
/// For a secret, it shows which domains have one, and never the value.
public struct Explanation: Sendable, Hashable {
    /// The outcome for the value that a domain has.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// It is the effective value, or a part of it, for a dictionary that no group declares.
        case inForce
        /// A domain above, or a newer value, takes precedence.
        case covered
        /// It does not convert to the setting's type or breaks its rule; see ``Answer/problem``.
        case refused
        /// The setting is owner-only (``SettingsAccess/owner``), and no other domain reaches it.
        case ignored
    }

    /// The value that a domain has.
    public struct Answer: Sendable, Hashable, Codable {
        /// The domain.
        public let domain: DomainName
        /// The location of the value, such as a file with its line, a variable or an argument.
        public let place: String
        /// The value as the domain has it; `nil` for a secret.
        public let value: SettingValue?
        /// The outcome for the value.
        public let outcome: Outcome
        /// The reason why it is refused, as a text that the user can act on.
        public let problem: String?
        /// Whether the domain locks the key.
        public let locksKey: Bool
    }

    /// The full key.
    public let key: String
    /// The declared type as it is written in Swift; `nil` for a key that no group declares.
    public let type: String?
    /// Whether the setting is a secret.
    public let isSecret: Bool
    /// The effective value; `nil` for a secret, and if there is none.
    public let value: SettingValue?
    /// The domain that the effective value comes from.
    public let domain: DomainName
    /// The source of the effective value.
    public let origin: ValueOrigin
    /// The values of the domains, highest first; last the default of the declaration.
    public let answers: [Answer]
    /// The environment variables that belong to no setting and whose names are near that of the setting's variable.
    public let misspeltVariables: [UnknownVariable]
    /// The transaction that last changed the effective value, if the store's log still has it.
    public let change: LastChange?
    /// Whether the written value is on stable storage, to the store's knowledge.
    public let isDurable: Bool

    /// The transaction that last changed a value.
    public struct LastChange: Sendable, Hashable, Codable {
        /// The transaction's number.
        public let revision: UInt64
        /// The transaction's author, if known.
        public let author: String?
        /// The time of the transaction.
        public let time: Date
    }
}

extension ValueOrigin: Codable {}

extension Explanation: Codable {
    private enum CodingKeys: CodingKey {
        case key, type, isSecret, value, domain, origin, answers, misspeltVariables, change, isDurable
    }

    /// Decodes an explanation. One without misspelt variables, which earlier versions did not name, has none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decode(String.self, forKey: .key)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        isSecret = try container.decode(Bool.self, forKey: .isSecret)
        value = try container.decodeIfPresent(SettingValue.self, forKey: .value)
        domain = try container.decode(DomainName.self, forKey: .domain)
        origin = try container.decode(ValueOrigin.self, forKey: .origin)
        answers = try container.decode([Answer].self, forKey: .answers)
        misspeltVariables =
            try container.decodeIfPresent([UnknownVariable].self, forKey: .misspeltVariables) ?? []
        change = try container.decodeIfPresent(LastChange.self, forKey: .change)
        isDurable = try container.decode(Bool.self, forKey: .isDurable)
    }
}

extension Explanation: CustomStringConvertible {
    /// A line for each domain that has a value; the one in force has a mark.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the description. A key, a path or a reason with a line break in it is still in one of them.
    package var lines: [String] {
        let names = answers.map(\.domain.description)
        let values = answers.map { spelled($0.value) }
        let (name, width) = (names.map(\.count).max() ?? 0, values.map(\.count).max() ?? 0)
        var lines = ["\(key) = \(spelled(value)), from \(domain)"]
        for (index, answer) in answers.enumerated() {
            let mark = answer.outcome == .inForce ? "▸" : " "
            let start = "\(mark) \(padded(names[index], name))  \(padded(values[index], width))"
            lines.append("\(start)  \(words(for: answer))(\(answer.place))")
        }
        lines += misspeltVariables.map { "  \($0)" }
        if let change {
            let author = change.author.map { " by “\($0)”" } ?? ""
            let durability = isDurable ? "on stable storage" : "not on stable storage yet"
            lines.append("  revision \(change.revision)\(author) at \(change.time.ISO8601Format()), \(durability)")
        }
        return lines
    }

    private func words(for answer: Answer) -> String {
        let lock = answer.locksKey ? "locked  " : ""
        switch answer.outcome {
        case .inForce: return lock
        case .covered: return "covered  "
        case .ignored: return "not asked: the setting is owner-only  "
        case .refused: return "refused: \(answer.problem ?? "it can't be used")  " + lock
        }
    }

    private func spelled(_ value: SettingValue?) -> String {
        if isSecret { return "\(Redacted<SettingValue>(shown: nil))" }
        return value.map { Redacted($0, isSecret: false).literal } ?? "nothing"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
