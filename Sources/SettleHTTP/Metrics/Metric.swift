/// A metric in the answer to `GET /metrics`.
public struct Metric: Sendable, Hashable {
    /// The kind of a metric.
    public enum Kind: String, Sendable, Hashable {
        /// A count that only grows, until the program ends.
        case counter
        /// A value that goes up and down.
        case gauge
    }

    /// A value with its labels.
    public struct Sample: Sendable, Hashable {
        /// The names and values of the labels.
        public var labels: [String: String]
        /// The value.
        public var value: Double

        /// Creates a sample.
        public init(_ value: Double, labels: [String: String] = [:]) {
            (self.labels, self.value) = (labels, value)
        }
    }

    /// The name, such as `http_requests`; without the suffix `_total` of a counter, which is added. Other characters
    /// than ASCII letters, digits and underscores are replaced.
    public var name: String
    /// The description of the metric, as a sentence.
    public var help: String
    /// The kind.
    public var kind: Kind
    /// The values.
    public var samples: [Sample]

    /// Creates a metric.
    public init(_ name: String, _ kind: Kind, help: String, samples: [Sample]) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }

    /// Creates a metric with one value.
    public init(_ name: String, _ kind: Kind, help: String, _ value: Double) {
        self.init(name, kind, help: help, samples: [Sample(value)])
    }
}
