import Settle
import SettleTesting

/// The versions of an app: each has the steps of the one before, and more.
struct ShippedApp {
    /// A list of migrations as a version has it, or one that somebody has spoilt.
    struct Version {
        var list: [ShippedStep]
        var text: String
        /// Whether the types of the values have other names than in other versions.
        var hasRenamedTypes: Bool

        var migrations: [SettingsMigration] { list.map { $0.migration(isRenamed: hasRenamedTypes) } }
    }

    private static let leaves = ["x", "y"]
    private static let groups = ["g", "h", "m"]

    var random: SeededGenerator
    private(set) var steps: [ShippedStep] = []
    private var count = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    mutating func element<Element>(of list: [Element]) -> Element { list[below(list.count)] }

    mutating func nextCount() -> Int {
        count += 1
        return count
    }

    // MARK: Keys and values

    private mutating func group() -> String {
        (0..<(below(4) == 0 ? 2 : 1)).map { _ in element(of: Self.groups) }.joined(separator: ".")
    }

    mutating func key() -> String {
        let leaf = element(of: Self.leaves)
        return below(3) == 0 ? leaf : group() + "." + leaf
    }

    /// A key that a file has, most of the time.
    mutating func key(in file: ShippedFile) -> String {
        let keys = file.values.keys.filter { $0 != ShippedNotes.key }.sorted()
        return keys.isEmpty || below(4) == 0 ? key() : element(of: keys)
    }

    mutating func value() -> ShippedValue {
        let number = nextCount()
        return below(4) == 0 ? .text(below(4) == 0 ? "none" : "\(number)") : .number(number)
    }

    /// The path of a key, or one of its names with dots that settings find.
    mutating func spelling(of key: String) -> SettingKey {
        below(2) == 0 ? SettingKey(stored: key) : element(of: ShippedFile.spellings(of: key))
    }

    // MARK: Versions

    /// Adds a step to the list, most often one that has something to do for a file.
    mutating func ship(for file: ShippedFile) {
        var step = ShippedStep(id: steps.count, kind: kind(for: file))
        if below(6) == 0 || steps.contains(where: { $0.name == step.name }) { step.givenName = "step \(step.id)" }
        steps.append(step)
    }

    private mutating func kind(for file: ShippedFile) -> ShippedStep.Kind {
        let key = key(in: file)
        switch below(16) {
        case 0..<3: return .rename(key, to: below(3) == 0 ? self.key(in: file) : self.key())
        case 3..<6: return .move(path(around: key), to: below(2) == 0 ? path(around: self.key(in: file)) : group())
        case 6: return .remove(below(2) == 0 ? key : path(around: key))
        case 7..<12: return conversion(of: key, in: file)
        case 12: return .split(key, into: below(3) == 0 ? key : self.key(), text: self.key())
        case 13, 14: return .merge([key, self.key(in: file)], to: below(3) == 0 ? key : self.key())
        default: return .limit(key, below(max(count, 1)), copy: self.key(in: file))
        }
    }

    private mutating func conversion(of key: String, in file: ShippedFile) -> ShippedStep.Kind {
        if case .text = file.values[key] { return .read(key) }
        return below(3) == 0 ? .write(key) : .add(key, 100)
    }

    private mutating func path(around key: String) -> String {
        let names = key.split(separator: ".")
        guard names.count > 1 else { return group() }
        return names[...below(names.count - 1)].joined(separator: ".")
    }

    mutating func version() -> Version {
        let length = below(3) > 0 ? steps.count : below(steps.count + 1)
        var version = Version(
            list: Array(steps[..<length]), text: "version \(length)", hasRenamedTypes: below(2) == 0)
        guard length > 1 else { return version }
        let index = below(length)
        switch below(16) {
        case 0, 1:
            version.text += " without “\(version.list.remove(at: index).name)”"
        case 2:
            let other = below(length)
            version.list.swapAt(index, other)
            version.text += " with “\(steps[index].name)” in the position of “\(steps[other].name)”"
        case 3 where below(4) == 0:
            version.list.append(version.list[index])
            version.text += " with “\(steps[index].name)” twice"
        default: break
        }
        return version
    }
}
