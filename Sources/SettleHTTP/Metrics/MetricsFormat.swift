/// The text forms of metrics.
enum MetricsFormat: Sendable {
    /// Prometheus' text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.0.
    case openMetrics

    /// Chooses the form that a client accepts; Prometheus' own by default.
    init(accept fields: [String]) {
        let types = fields.joined(separator: ",").split(separator: ",").map { $0.lowercased() }
        let acceptsOpenMetrics = types.contains { type in
            type.split(separator: ";").first?.filter { $0 != " " && $0 != "\t" } == "application/openmetrics-text"
        }
        self = acceptsOpenMetrics ? .openMetrics : .prometheus
    }

    var mediaType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// Returns the text of metrics, sorted by name. Of two with one name, the first counts.
    func text(of metrics: [Metric]) -> String {
        var text = ""
        var names: Set<String> = []
        for (name, metric) in metrics.map({ (Self.name($0.name), $0) }).sorted(by: { $0.0 < $1.0 })
        where names.insert(name).inserted {
            let sampleName = metric.kind == .counter ? "\(name)_total" : name
            let family = self == .openMetrics ? name : sampleName
            text += "# HELP \(family) \(escaped(metric.help, quotes: self == .openMetrics))\n"
            text += "# TYPE \(family) \(metric.kind.rawValue)\n"
            let lines = metric.samples.map { "\(sampleName)\(labels($0.labels)) \(Self.spelled($0.value))\n" }
            text += lines.sorted().joined()
        }
        return self == .openMetrics ? text + "# EOF\n" : text
    }

    private func labels(_ labels: [String: String]) -> String {
        guard !labels.isEmpty else { return "" }
        let texts = labels.sorted { $0.key < $1.key }
            .map { "\(Self.name($0.key))=\"\(escaped($0.value, quotes: true))\"" }
        return "{\(texts.joined(separator: ","))}"
    }

    private func escaped(_ text: String, quotes: Bool) -> String {
        // By scalars: as characters, "\r\n" is not a line break, and a quotation mark with an accent is not one.
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func name(_ text: String) -> String {
        let name = String(
            decoding: text.utf8.map { byte -> UInt8 in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
        return name.first?.isNumber == false ? name : "_\(name)"
    }

    private static func spelled(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
