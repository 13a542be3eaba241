import Settle
import SettleTesting
import Testing

/// Random histories of an original and its draft, against a naive model.
@Suite(.timeLimit(.minutes(10)), .silencingIssues) struct DraftHistoryTests {
    struct Numbers: SettingsGroup {
        @Setting(in: 0...9) var a = 0
        @Setting(in: 0...9) var b = 1
        let inner = InnerNumbers()

        var all: [SettingReference<Int>] { [$a, $b, inner.$c, inner.$d] }
    }

    struct InnerNumbers: SettingsGroup {
        @Setting(in: 0...9) var c = 2
        @Setting(in: 0...9) var d = 3
    }

    /// Dictionaries of what was written, and what was there then.
    private struct Model {
        var original = [0, 1, 2, 3]
        var draft: [Int: Int] = [:]
        var base: [Int: Int] = [:]
        var refused: [Int: Int] = [:]

        func value(_ index: Int) -> Int { draft[index] ?? original[index] }
        var values: [Int] { (0..<4).map(value) }
        var conflicts: [Int] {
            draft.keys.filter { original[$0] != base[$0] && original[$0] != draft[$0] }.sorted()
        }

        mutating func write(_ number: Int, at index: Int) {
            guard number < 10 else { return refused[index] = number }
            refused[index] = nil
            if value(index) == number { return }
            if draft[index] == nil { base[index] = original[index] }
            draft[index] = number
        }

        mutating func revert(_ index: Int) { (draft[index], base[index], refused[index]) = (nil, nil, nil) }

        mutating func apply(overwriting: Bool) -> Bool {
            guard refused.isEmpty, overwriting || conflicts.isEmpty else { return false }
            for (index, number) in draft { original[index] = number }
            (draft, base) = ([:], [:])
            return true
        }
    }

    @Test("1,000 histories agree with the model") func histories() async throws {
        var generator = SeededGenerator()
        for _ in 0..<1_000 { try await history(&generator) }
    }

    private func history(_ generator: inout SeededGenerator) async throws {
        let seed = generator.seed
        // All groups that no store has opened share one log, those of other tests as well.
        let settings = try await SettingsStore.open(storage: InMemoryStorage()).group(Numbers.self)
        let draft = settings.draft()
        let keys = settings.all.map(\.key)
        var model = Model()
        for step in 0..<40 {
            let index = Int.random(in: 0..<4, using: &generator)
            let number = Int.random(in: 0..<12, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3:
                try settings.all[index].set(number % 10)
                model.original[index] = number % 10
            case 3..<7:
                draft.settings.all[index].value = number
                model.write(number, at: index)
            case 7:
                draft.revert(key: keys[index])
                model.revert(index)
            case 8 where number == 0:
                draft.revert()
                for index in 0..<4 { model.revert(index) }
            default:
                let isOverwriting = number.isMultiple(of: 2)
                let isApplied = (try? draft.apply(isOverwriting ? .overwriting : .throwing)) != nil
                #expect(isApplied == model.apply(overwriting: isOverwriting), "seed \(seed), step \(step)")
            }
            #expect(settings.all.map(\.value) == model.original, "seed \(seed), step \(step)")
            #expect(draft.settings.all.map(\.value) == model.values, "seed \(seed), step \(step)")
            #expect(draft.touchedKeys == model.draft.keys.sorted().map { keys[$0] }, "seed \(seed), step \(step)")
            #expect(draft.conflicts.map(\.key) == model.conflicts.map { keys[$0] }, "seed \(seed), step \(step)")
            #expect(draft.isDirty == (model.values != model.original), "seed \(seed), step \(step)")
            #expect(draft.violations.map { $0.value as? Int } == model.refused.keys.sorted().map { model.refused[$0] })
        }
    }
}
