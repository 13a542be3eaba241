import Foundation
import Settle
import SettleTesting
import Testing

/// Two and three processes on one disk, with every order of their system calls in which each is interrupted a few
/// times, and random orders of longer scripts.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct InterleavingTests {

    @Test("Whatever the order of their calls, processes agree", arguments: InterleavedScripts.all.keys.sorted())
    func exhaustive(name: String) async throws {
        let scripts = try #require(InterleavedScripts.all[name])
        let environment = Self.environment
        let limit = environment["SETTLE_SCHEDULES"].flatMap(Int.init)
        let interruptions = environment["SETTLE_INTERRUPTIONS"].flatMap(Int.init) ?? 1
        let (count, failure) = await onThread {
            ScheduleSearch.tryAll(scripts, interruptions: interruptions, atMost: limit ?? 50)
        }
        if limit != nil { print("\(name): \(count) schedules") }
        if let failure { Issue.record("\(name), schedule \(count): \(failure)") }
    }

    @Test(
        "Whole actions lead to what is promised", arguments: WholeActions.mended.keys.sorted(), FileLayout.allCases)
    func wholeActions(name: String, layout: FileLayout) throws {
        try InterleavedFile.run(inOrder: #require(WholeActions.mended[name]), layout: layout)
    }

    @Test("Some can't, for nobody knows whose values are newer", arguments: WholeActions.faults.keys.sorted())
    func faults(name: String) throws {
        let actions = try #require(WholeActions.faults[name])
        withKnownIssue { try InterleavedFile.run(inOrder: actions) }
    }

    /// Runs the same scripts each time. `SETTLE_INTERLEAVINGS` sets another number of them, which then begin at
    /// `SETTLE_SEED` or at a random seed; a number of 1 repeats one that failed.
    @Test("Whatever long scripts do in whatever order, processes agree and nothing is lost") func randomScripts() async
    {
        await tryRandomScripts(removesFiles: false)
    }

    @Test("The same if some settings are state, which is written into a file of its own")
    func randomScriptsWithState() async {
        await tryRandomScripts(removesFiles: false, state: ["b", "n"])
    }

    @Test("The same if the journal and the state are in another folder", arguments: [false, true])
    func randomScriptsApart(removesFiles: Bool) async {
        await tryRandomScripts(removesFiles: removesFiles, state: ["b"], layout: .stateApart, usual: 75)
    }

    /// One in some thousands fails; see ``WholeActions/faults``.
    @Test("The same if people remove files and put backups in their place") func randomScriptsWithRemovals() async {
        await tryRandomScripts(removesFiles: true)
    }

    /// Removals that have led to faults.
    private static let seeds: [UInt64] = [
        600596, 601657, 601692, 602077, 602364, 602506, 602555, 602957, 603041, 603842, 620556, 621005, 622052, 623453,
        623591, 623782, 630819, 633393, 635568, 700269, 700422, 701441, 702541, 702617, 703012, 704664, 707971, 715356,
        726034, 2000778, 2001291, 5002162, 7000527, 8000216, 8001700, 8003646, 8005217, 8005368, 8007836, 8009351,
        9002517, 9003000,
    ]

    private static let environment = ProcessInfo.processInfo.environment

    private func tryRandomScripts(
        removesFiles: Bool, state: Set<SettingKey> = [], layout: FileLayout = .oneFolder, usual: UInt64 = 125
    ) async {
        var seeds: [UInt64] = Array(1...usual) + Self.seeds
        if let count = Self.environment["SETTLE_INTERLEAVINGS"].flatMap(UInt64.init) {
            let first = Self.environment["SETTLE_SEED"].flatMap(UInt64.init) ?? SeededGenerator.drawSeed()
            seeds = Array(first..<(first + count))
        }
        let failures = await onThread { [seeds] in
            seeds.compactMap {
                Self.failure(ofRandomScripts: $0, removesFiles: removesFiles, state: state, layout: layout)
            }
        }
        for failure in failures { Issue.record("\(failure)") }
    }

    private static func failure(
        ofRandomScripts seed: UInt64, removesFiles: Bool, state: Set<SettingKey>, layout: FileLayout
    ) -> String? {
        var (scripts, oneIn) = RandomScripts.scripts(seed: seed, removesFiles: removesFiles)
        // Where an old journal is put back, nobody can tell state that is typed into the wrong file from what was
        // there.
        if removesFiles, !state.isEmpty { scripts = scripts.map { $0.map { $0.editing("c", insteadOf: state) } } }
        do {
            try InterleavedFile.run(scripts, .random(seed: seed, oneIn: oneIn), state: state, layout: layout)
            return nil
        } catch {
            let actors = scripts.enumerated().map { "\n  \($0): \($1)" }.joined()
            return "Seed \(seed): \(error)\n  The scripts:\(actors)"
        }
    }
}
