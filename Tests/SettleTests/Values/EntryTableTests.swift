import SettleTesting
import Testing

@testable import Settle

@Suite(.timeLimit(.minutes(10))) struct EntryTableTests {
    @Test("It has the same values as a dictionary after the same changes", arguments: [3, 9, 40, 700])
    func likeDictionary(names count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        for _ in 0..<20 {
            var table = EntryTable(minimumCapacity: Int.random(in: 0...count, using: &random))
            var expected: [Name: SettingValue] = [:]
            var copies: [(table: EntryTable, expected: [Name: SettingValue])] = []
            let growth = Int.random(in: 1...4, using: &random)
            for step in 0..<count * 6 {
                let name = Name("the name of a setting, \(Int.random(in: 0..<count, using: &random))")
                if Int.random(in: 0..<5, using: &random) < growth {
                    let value = SettingValue.integer(Int64(step))
                    let replaced = table.updateValue(value, of: name)
                    #expect(replaced == expected.updateValue(value, forKey: name))
                } else {
                    let removed = table.remove(name)
                    #expect(removed == expected.removeValue(forKey: name))
                }
                if step.isMultiple(of: count) { copies.append((table, expected)) }
            }
            copies.append((table, expected))
            for (table, expected) in copies {
                let found = Dictionary(uniqueKeysWithValues: table.entries.map { ($0.name, $0.value) })
                #expect(found == expected)
                for number in 0..<count {
                    let name = Name("the name of a setting, \(number)")
                    #expect(table[name] == expected[name])
                }
            }
        }
    }

    @Test("Entries stay in the order in which they were added, until one is removed", arguments: [5, 300])
    func order(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        var names = (0..<count).map { Name("name \($0)") }.shuffled(using: &random)
        var table = EntryTable()
        for name in names { table[name] = .null }
        for name in names.shuffled(using: &random) { table[name] = .bool(true) }
        #expect(table.entries.map(\.name) == names)
        table[names[1]] = nil
        names[1] = names.removeLast()
        #expect(table.entries.map(\.name) == names)
    }

    @Test("A file is read in its order", arguments: [3, 500])
    func fileOrder(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let names = (0..<count).map { "name \($0)" }.shuffled(using: &random)
        let text = "{\(names.map { "\"\($0)\": 1" }.joined(separator: ", "))}"
        #expect(try FileFormat.json.decode(Array(text.utf8)).root.map(\.key) == names)
    }

    @Test("Tables with the same entries are equal and have equal hashes, in whatever order", arguments: [2, 8, 300])
    func equality(count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let names = (0..<count).map { Name("name \($0)") }
        func table(_ names: [Name]) -> EntryTable {
            names.reduce(into: EntryTable()) { $0[$1] = .string($1.text) }
        }
        let (one, other) = (table(names), table(names.shuffled(using: &random)))
        #expect(one == other && one.hashValue == other.hashValue)
        var changed = other
        changed[names[0]] = .null
        #expect(one != changed && changed != one)
        changed[names[0]] = nil
        changed[Name("another name")] = .string(names[0].text)
        #expect(one != changed && changed != one)
    }
}
