/// The values of a settings file, by their dotted keys, and the migrations that it records.
public struct MigratedValues: Sendable, Hashable {
    public var numbers: [String: Int] = [:]
    public var texts: [String: String] = [:]
    public var steps: [String] = []

    public init(numbers: [String: Int] = [:], texts: [String: String] = [:], steps: [String] = []) {
        self.numbers = numbers
        self.texts = texts
        self.steps = steps
    }

    var keys: [String] { numbers.keys.sorted() + texts.keys.sorted() }

    /// The step that a program's own keys have; `nil` if they have not the same.
    func step(ofNew writer: Int) -> Int? {
        let path = "program.writer.w\(writer)."
        let step = numbers[path + "step"] ?? 0
        let isWhole =
            (numbers[path + "left"] ?? 0, numbers[path + "right"] ?? 0) == (step, step)
            && texts[path + "twice"] ?? "0" == String(2 * step)
        return isWhole ? step : nil
    }

    /// As ``step(ofNew:)``, before the migration.
    func step(ofOld writer: Int) -> Int? {
        let path = "writer.w\(writer)."
        let step = numbers[path + "step"] ?? 0
        let isWhole = numbers[path + "twice"] ?? 0 == 2 * step && texts[path + "pair"] ?? "0:0" == "\(step):\(step)"
        return isWhole ? step : nil
    }
}
