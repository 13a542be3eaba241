import Foundation
import Settle
import SettleTesting
import Testing

/// Saves random values into random files.
@Suite(.timeLimit(.minutes(60))) struct GeneratedTextTests {
    /// Seeds that have found bugs.
    private static let findings: [UInt64] = [
        1_245_576_393_030_995_164, 1_245_576_393_031_003_687, 1_245_576_393_031_005_404, 500_011_077,
    ]

    /// Writes the same files each time. `SETTLE_TEXTS` sets another number of them, which then begin at
    /// `SETTLE_TEXT_SEED` or at a random seed; a number of 1 repeats one that failed.
    private static func seeds(_ usual: UInt64) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        guard let count = environment["SETTLE_TEXTS"].flatMap(UInt64.init) else { return findings + Array(1...usual) }
        let first = environment["SETTLE_TEXT_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
        return Array(first..<(first + count))
    }

    @Test("Everything but what changes stays byte for byte, in any file and whatever changes") func saves() async {
        let seeds = Self.seeds(600)
        let failures = await onThread {
            seeds.flatMap { seed in TextTrial(seed: seed).failures().prefix(1).map { "Seed \(seed): \($0)" } }
        }
        report(failures, of: seeds.count)
    }

    @Test("In hand-written files too") func savesByHand() async {
        // Each of them meets all texts. Those that have found bugs did so in random files.
        let seeds = Self.seeds(2).suffix(100).drop { Self.findings.contains($0) }
        let failures = await onThread {
            seeds.flatMap { seed in
                TextCorpusTests.texts.flatMap { text in
                    TextTrial(text, seed: seed).failures().prefix(1).map { "Seed \(seed) with “\(text.name)”: \($0)" }
                }
            }
        }
        report(failures, of: seeds.count * TextCorpusTests.texts.count)
    }

    /// A broken writer fails in all of them; the first few say why.
    private func report(_ failures: [String], of count: Int) {
        for failure in failures.prefix(20) { Issue.record("\(failure)") }
        let more = failures.dropFirst(20).prefix(100).map { $0.prefix { $0 != ":" } }
        if !more.isEmpty { Issue.record("\(failures.count) of \(count): \(more.joined(separator: ", "))") }
    }

    @Test("The oracle finds a file right that is as it was, and notices any other byte") func oracle() async {
        let seeds = Self.seeds(500)
        let failures = await onThread {
            seeds.compactMap { seed -> String? in
                do {
                    let trial = TextTrial(seed: seed)
                    let tree = try TextDocument(trial.text, trial.format).tree
                    let right = TextOracle.complaints(trial.text, trial.text, tree, trial.format)
                    if !right.isEmpty { return "Seed \(seed): \(right)\n\(trial.shown)" }
                    var random = SeededGenerator(seed: seed)
                    var wrong = trial.text
                    let place = Int.random(in: 0..<wrong.count, using: &random)
                    let other = Array(" \n\t,x/\"}".utf8).randomElement(using: &random) ?? 0x20
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: wrong.remove(at: place)
                    case 1: wrong.insert(other, at: place)
                    default: wrong[place] = wrong[place] == other ? 0x31 : other
                    }
                    let isNoticed = !TextOracle.complaints(trial.text, wrong, tree, trial.format).isEmpty
                    return isNoticed || wrong == trial.text
                        ? nil : "Seed \(seed): byte \(place) is another one\n\(trial.shown)"
                } catch {
                    return "Seed \(seed): \(error)\n\(TextTrial(seed: seed).shown)"
                }
            }
        }
        for failure in failures.prefix(20) { Issue.record("\(failure)") }
        #expect(failures.count == 0)
    }
}
