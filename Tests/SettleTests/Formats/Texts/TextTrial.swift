import Settle
import SettleTesting

/// One file, into which a random program saves its values several times.
struct TextTrial {
    let seed: UInt64
    let format: FileFormat
    let text: [UInt8]
    /// The comments whose place is known.
    let comments: [GeneratedText.Comment]

    /// A random file.
    init(seed: UInt64) {
        self.seed = seed
        format = seed.isMultiple(of: 3) ? .propertyListXML : .json
        let generated = GeneratedText(seed: seed, format)
        text = generated.bytes
        comments = generated.comments
    }

    init(_ text: MarkedText, seed: UInt64) {
        self.seed = seed
        self.text = text.before
        format = text.format
        comments = []
    }

    var shown: String { String(decoding: text, as: UTF8.self) }

    func failures() -> [String] {
        var random = SeededGenerator(seed: seed &+ 1)
        var bytes = text
        do {
            let tree = try read(bytes, format)
            guard try isAlike(tree, try TextDocument(bytes, format).tree) else { return ["Read otherwise\n\(shown)"] }
            guard try rewritten(bytes, tree, format) == bytes else { return ["Changed without a change\n\(shown)"] }
            for round in 0..<3 {
                let target = SettingTree(RandomValues.changed(try read(bytes, format).root, &random))
                let result = try rewritten(bytes, target, format)
                var failures = TextOracle.complaints(bytes, result, target, format)
                if round == 0 { failures += commentFailures(result, target) }
                failures += try laterFailures(result, target)
                let keys = changedKeys(from: try read(bytes, format).root, to: target.root)
                if try rewritten(bytes, target, format, changing: keys) != result {
                    failures.append("With the changed keys, it is another file")
                }
                guard failures.isEmpty else {
                    return failures.prefix(3).map { $0 + "\n" + report(round, bytes, target, result) }
                }
                bytes = result
            }
            return []
        } catch {
            return ["\(error)\n" + shown]
        }
    }

    /// What is wrong when the result is read or saved again.
    private func laterFailures(_ result: [UInt8], _ target: SettingTree) throws -> [String] {
        var failures: [String] = []
        let expected = try format.decode(try format.encode(target))
        if !(try isAlike(read(result, format), expected)) { failures.append("Other values are read") }
        if try rewritten(result, target, format) != result { failures.append("Saved twice, it is another file") }
        let same = try read(result, format)
        if try rewritten(result, same, format) != result { failures.append("What was read, saved, is another file") }
        return failures
    }

    private func isAlike(_ one: SettingTree, _ other: SettingTree) throws -> Bool {
        try format.encode(one) == format.encode(other)
    }

    /// What is wrong with the comments, by what the generator knows about them.
    private func commentFailures(_ result: [UInt8], _ target: SettingTree) -> [String] {
        let result = String(decoding: result, as: UTF8.self)
        return comments.compactMap { comment in
            let expected: Int
            switch comment.place {
            case .outside: expected = 1
            case .ownLine(let path): expected = isDictionary(path, target) ? 1 : 0
            case .behind(let path), .within(let path):
                let name = path.last ?? ""
                expected = entries(Array(path.dropLast()), target)?[name] == nil ? 0 : 1
            case .unclear: return nil
            }
            let count = result.ranges(of: comment.text).count
            return count == expected ? nil : "\(comment.text) \(comment.place) occurs \(count) times"
        }
    }

    private func isDictionary(_ path: [String], _ target: SettingTree) -> Bool { entries(path, target) != nil }

    private func entries(_ path: [String], _ target: SettingTree) -> SettingValue.Entries? {
        path.reduce(Optional(target.root)) { entries, name in
            guard case .dictionary(let inner)? = entries?[name] else { return nil }
            return inner
        }
    }

    private func changedKeys(from old: SettingValue.Entries, to new: SettingValue.Entries) -> [SettingKey] {
        Set((Array(old.keys) + Array(new.keys)).map(SettingKey.init(name:))).sorted().flatMap { key -> [SettingKey] in
            switch (old[key.name], new[key.name]) {
            case (.dictionary(let old)?, .dictionary(let new)?):
                return changedKeys(from: old, to: new).map { key.appending($0) }
            case (let old?, let new?):
                let isSame = (try? isAlike(SettingTree(["": old]), SettingTree(["": new]))) ?? false
                return isSame ? [] : [key]
            default: return [key]
            }
        }
    }

    private func report(_ round: Int, _ before: [UInt8], _ target: SettingTree, _ result: [UInt8]) -> String {
        """
        round \(round), \(format): \(target.root)
        --- before
        \(String(decoding: before, as: UTF8.self))
        --- after
        \(String(decoding: result, as: UTF8.self))
        ---
        """
    }
}
