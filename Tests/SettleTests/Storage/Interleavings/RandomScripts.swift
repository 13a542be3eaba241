import Settle
import SettleTesting

/// Random scripts of processes and people.
struct RandomScripts {
    typealias Action = InterleavedFile.Action

    private var random: SeededGenerator
    private var number: Int64 = 1
    /// Whether processes close the file, so that it may be nobody's when it is removed.
    private var closes = false

    /// Whether people only edit the file, or remove files and put backups in their place, too.
    private var removesFiles: Bool

    /// - Returns: One script for each actor, and how often on average one of them is interrupted.
    static func scripts(seed: UInt64, removesFiles: Bool) -> (scripts: [[Action]], oneIn: UInt64) {
        var made = RandomScripts(random: SeededGenerator(seed: seed), removesFiles: removesFiles)
        return (made.scripts(), [2, 3, 6, 12, 30][made.below(5)])
    }

    private mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    private mutating func scripts() -> [[Action]] {
        closes = below(2) == 0
        let count = 2 + below(2)
        var scripts = (0..<count).map { _ in process() }
        if below(3) == 0 { scripts.append(reader()) }
        if below(2) == 0 { scripts.append(person()) }
        if below(8) == 0 { scripts.append(person()) }
        if below(4) == 0 { scripts.append([.sleep(below(400)), .kill(below(count))]) }
        if below(8) == 0 { scripts.append([.sleep(below(400)), .losePower]) }
        return scripts
    }

    // MARK: Processes

    private mutating func process() -> [Action] {
        var script: [Action] = below(3) == 0 ? [.sleep(below(200)), .open] : [.open]
        for _ in 0..<(3 + below(5)) { script += step() }
        return script
    }

    private mutating func step() -> [Action] {
        switch below(32) {
        case 0..<7: [.set(values())]
        case 7..<11: [.set(values(), .synced)]
        case 11..<14: [.count]
        case 14..<18: [.checkpoint(.resting)]
        case 18: [.checkpoint(.settled)]
        case 19: [.checkpoint(.erasing)]
        case 20..<24: [.look]
        case 24: closes ? [.close, .sleep(below(400)), .open] : [.look]
        case 25: [.keepHistory()]
        case 26: [.keepHistory(.none)]
        case 27: [.withhold(key())]
        case 28: [.forget(key())]
        case 29: [.sleep(below(400))]
        // So that the journal is begun anew.
        default: (0..<6).map { _ in .set(values()) }
        }
    }

    private mutating func reader() -> [Action] {
        var script: [Action] = [.sleep(below(200)), below(2) == 0 ? .openToRead : .open]
        for _ in 0..<below(5) { script += [.sleep(below(400)), .look] }
        return script
    }

    // MARK: People

    private mutating func person() -> [Action] {
        var script: [Action] = []
        var hasBackup = false
        for _ in 0...below(3) {
            script.append(.sleep(below(400)))
            switch below(removesFiles ? 12 : 7) {
            case 0..<3: script.append(.edit(key(), value()))
            case 3..<5: script.append(.editInPlace(key(), value()))
            case 5..<7: script += [.openEditor, .sleep(below(500)), .saveEditor(key(), value())]
            case 7..<9: script.append(.remove(files()))
            case 9 where below(3) == 0: script.append(.moveFolderAway)
            default:
                if !hasBackup {
                    script += [.backUp(InterleavedFile.Gone.allCases.shuffled(using: &random)), .sleep(below(500))]
                }
                script.append(.restore(files(), inPlace: below(3) == 0))
                hasBackup = true
            }
        }
        return script
    }

    private mutating func files() -> [InterleavedFile.Gone] {
        let files = InterleavedFile.Gone.allCases.filter { _ in below(2) == 0 }
        return (files.isEmpty ? InterleavedFile.Gone.allCases : files).shuffled(using: &random)
    }

    // MARK: Values

    private mutating func key() -> String { ["a", "b", "c"][below(3)] }

    private mutating func value() -> Int64? {
        number += 1
        return below(6) == 0 ? nil : number
    }

    private mutating func values() -> [String: Int64?] {
        var values: [String: Int64?] = [:]
        for _ in 0...below(2) { values.updateValue(value(), forKey: key()) }
        return values
    }
}
