/// Reports as a Markdown table: one line per trial, one column per contender.
public struct ReportTable: Sendable {
    public let contenders: [String]
    public let reports: [TrialReport]

    public init(contenders: [String], reports: [TrialReport]) {
        self.contenders = contenders
        self.reports = reports
    }

    public var markdown: String {
        var trials: [String] = []
        for report in reports where !trials.contains(report.trial) { trials.append(report.trial) }
        var lines = [row(["trial"] + contenders), row(contenders.map { _ in "---" } + ["---"])]
        for trial in trials {
            lines.append(
                row(
                    [trial]
                        + contenders.map { contender in
                            reports.first { $0.trial == trial && $0.contender == contender }?.cell ?? ""
                        }))
        }
        return lines.joined(separator: "\n")
    }

    private func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
