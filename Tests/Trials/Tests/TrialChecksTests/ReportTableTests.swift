import Testing
import TrialChecks

@Suite struct ReportTableTests {
    @Test("Each trial is a row, each contender a column, and losses are bold")
    func table() {
        let reports = [
            TrialReport("kill", "A", figures: [Figure("kills", 2_000), .loss("lost", 0), .time("worst", 1_234_567)]),
            TrialReport("kill", "B", figures: [.loss("lost", 3)]),
            TrialReport("disk", "A", skipped: "no root"),
        ]
        #expect(
            ReportTable(contenders: ["A", "B"], reports: reports).markdown == """
                | trial | A | B |
                | --- | --- | --- |
                | kill | 2,000 kills, 0 lost, worst 1.23 ms | **3 lost** |
                | disk | skipped: no root |  |
                """)
        #expect(reports.map(\.hasLoss) == [false, true, false])
    }

    @Test("A distribution gives the median, a quantile and the maximum of its samples")
    func distribution() {
        var distribution = Distribution()
        #expect(distribution.median == 0)
        for sample in (1...100).reversed() { distribution.add(sample) }
        #expect(distribution.median == 50)
        #expect(distribution.quantile(0.99) == 99)
        #expect(distribution.worst == 100)
    }
}
