import TrialChecks

/// What an `InspectingChild` found.
struct Inspection {
    private(set) var numbers: [String: Int] = [:]
    private(set) var texts: [String: String] = [:]
    /// What the library reported, and why the child failed if it did.
    private(set) var issues: [String] = []

    /// Why closing the store failed, if it did.
    private(set) var closingError: String?

    init(_ lines: [Acknowledgement]) {
        for line in lines {
            switch line.word {
            case "number":
                numbers[line.text ?? ""] = line.numbers.first
            case "text":
                let parts = (line.text ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                texts[String(parts[0])] = parts.count == 2 ? String(parts[1]) : nil
            case "unclosed":
                closingError = line.text
            case "issue", "failed":
                issues.append(line.text ?? "")
            default: break
            }
        }
        if lines.last?.word != "end", issues.isEmpty { issues.append("The inspecting process ended early.") }
    }

    /// Everything that must not occur while the disk has room.
    var failures: [String] { issues + (closingError.map { [$0] } ?? []) }

    func number(_ key: String) -> Int { numbers[key] ?? 0 }
}
