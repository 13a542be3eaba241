import TrialChecks

/// A seventh service, whose prefix is within that of the others. SettleEtcd reports this: its settings count as some of
/// theirs, while theirs are none of its own. Nothing may be lost all the same.
enum InnerService {
    /// The rest of its prefix, after that of the others.
    static let name = "inner/"
    static let prefix = FleetTrial.prefix + name
    static let number = 7

    /// Returns its calls and their outcomes, with the numbers that its registers have among those of the others.
    static func calls(_ lines: [Acknowledgement]) -> [Acknowledgement] {
        lines.compactMap { line in
            switch line.word {
            case "call", "locked":
                guard let register = line.numbers.first else { return nil }
                let numbers = [register + TrialGroup.count] + line.numbers.dropFirst()
                return Acknowledgement(line.word, numbers, text: line.text)
            case "answer", "refused": return line
            default: return nil
            }
        }
    }

    /// Returns what was stored under its prefix, with its own numbers of the registers.
    static func log(_ log: [ClusterVerdict.Stored]) -> [ClusterVerdict.Stored] {
        log.filter { $0.register >= TrialGroup.count }.map { stored in
            ClusterVerdict.Stored(
                revision: stored.revision, register: stored.register - TrialGroup.count, value: stored.value)
        }
    }

    /// Returns whether an issue is that of the two prefixes.
    static func isReport(_ issue: String) -> Bool { issue.contains("“\(prefix)” is within “\(FleetTrial.prefix)”") }

    /// Returns a sentence for each of the other services that has never reported the prefix within its own.
    ///
    /// - Parameter services: Of each service, over all its lives: “issue” with the issue as its text.
    static func unreported(by services: [[Acknowledgement]]) -> [String] {
        services.enumerated().compactMap { index, lines in
            let isReported = lines.contains { $0.word == "issue" && isReport($0.text ?? "") }
            return isReported ? nil : "Service \(index + 1) has not reported that “\(prefix)” is within its prefix."
        }
    }
}
