import Foundation
import Settle
import SettleTesting
import Testing

/// Compares random histories of processes and hand edits of one file with a model.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct FileStorageHistoryTests {
    /// Seeds that have found bugs.
    private static let findings: [UInt64] = [
        6_119_913_636_216_963_940, 6_119_913_636_216_965_452, 7_839_643_071_505_599_028, 4_983_636_491_624_532_284,
        7_450_063_544_191_471_278, 7_364_202_562_375_685_780, 1_334_710_471_774_629_044, 8_521_309_335_313_464_040,
        5_850_809_262_048_384_514, 7_625_883_742_030_452_091, 1_002_594, 1_003_092, 1_003_266, 77_002_372, 77_002_779,
        77_002_989, 77_005_464, 77_000_838, 31_002_137, 29_000_012, 29_000_911, 29_000_923, 29_001_232, 29_001_688,
        29_002_544, 29_004_775, 29_005_086, 29_005_519, 29_007_450, 29_007_787,
        31_000_676, 31_000_933, 31_003_045, 31_007_840, 31_008_951, 32_004_170, 33_010_959, 34_009_874, 40_001_412,
        40_002_766, 40_009_194, 41_003_974, 41_011_917, 51_001_641, 51_006_787, 62_010_700, 60_008_071, 52_005_126,
        82_000_287,
        82_008_999,
    ]

    /// Seeds that have found bugs where some of the keys are state.
    private static let findingsWithState: [UInt64] = [5_801_415]

    @Test("The same with settings that are state, whose file is removed and damaged") func historiesWithState() async {
        await run(Self.findingsWithState + Array(1...250), state: ["b", "g.y", "g.h"])
    }

    @Test("The same, state or not, with the journal in a folder for state") func historiesApart() async {
        await run(Array(1_001...1_080), layout: .stateApart)
        await run(Array(1_081...1_160), state: ["b", "g.y", "g.h"], layout: .stateApart)
    }

    /// Runs the same histories each time. `SETTLE_HISTORIES` sets another number of them, which then begin at
    /// `SETTLE_HISTORY_SEED` or at a random seed; a number of 1 repeats one that failed.
    @Test("Processes that share a file agree with the model, whatever happens to them") func histories() async {
        await run(Self.findings + Array(1...250))
    }

    private func run(_ usual: [UInt64], state: Set<SettingKey> = [], layout: FileLayout = .oneFolder) async {
        let environment = ProcessInfo.processInfo.environment
        var seeds = usual
        if let count = environment["SETTLE_HISTORIES"].flatMap(UInt64.init) {
            let first = environment["SETTLE_HISTORY_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
            seeds = Array(first..<(first + count))
        }
        let failures = await onThread { [seeds] in
            seeds.compactMap { seed -> String? in
                do {
                    try SharedFileHistory.run(seed: seed, steps: 20, state: state, layout: layout)
                    return nil
                } catch {
                    return "\(error)"
                }
            }
        }
        for failure in failures { Issue.record("\(failure)") }
    }
}
