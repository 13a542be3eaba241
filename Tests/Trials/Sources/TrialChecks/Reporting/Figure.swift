/// A number in a report.
public struct Figure: Sendable, Codable, Hashable {
    public enum Unit: String, Sendable, Codable {
        case count, nanoseconds
    }

    public var name: String
    public var value: Int
    public var unit: Unit
    /// Whether anything but 0 breaks a promise.
    public var isLoss: Bool

    public init(_ name: String, _ value: Int, unit: Unit = .count, isLoss: Bool = false) {
        self.name = name
        self.value = value
        self.unit = unit
        self.isLoss = isLoss
    }

    /// A number that must be 0.
    public static func loss(_ name: String, _ value: Int) -> Figure {
        Figure(name, value, isLoss: true)
    }

    /// A span of time.
    public static func time(_ name: String, _ nanoseconds: Int) -> Figure {
        Figure(name, nanoseconds, unit: .nanoseconds)
    }

    public var text: String {
        switch unit {
        case .count: "\(Self.grouped(value)) \(name)"
        case .nanoseconds: "\(name) \(Self.milliseconds(value))"
        }
    }

    private static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }

    private static func milliseconds(_ nanoseconds: Int) -> String {
        let hundredths = (nanoseconds + 5_000) / 10_000
        let fraction = hundredths % 100
        return "\(grouped(hundredths / 100)).\(fraction < 10 ? "0" : "")\(fraction) ms"
    }
}
