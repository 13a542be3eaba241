/// The spelling of operations in acknowledgements.
public enum RegisterSpelling {
    public static func text(_ operation: RegisterOperation) -> String {
        switch operation {
        case .read: "read"
        case .write(let value): "write \(value)"
        case .replace(let value): "replace \(value)"
        case .exchange(let old, let new): "exchange \(old) \(new)"
        case .increment: "increment"
        }
    }

    public static func operation(_ text: String) -> RegisterOperation? {
        guard let line = Acknowledgement(line: text) else { return nil }
        switch (line.word, line.numbers.count) {
        case ("read", 0): return .read
        case ("write", 1): return .write(line.numbers[0])
        case ("replace", 1): return .replace(line.numbers[0])
        case ("exchange", 2): return .exchange(line.numbers[0], line.numbers[1])
        case ("increment", 0): return .increment
        default: return nil
        }
    }
}
