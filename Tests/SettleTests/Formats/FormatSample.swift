import FoundationEssentials

/// One of everything that Foundation's coders and Settle's spell alike. They differ about URLs, which are dictionaries
/// in Foundation's property lists.
struct FormatSample: Codable, Sendable, Equatable {
    struct Inner: Codable, Sendable, Equatable {
        var name = "ü😀 <&>\"'\\/\t\n"
        var isOn = false
        var empty: [String: Int] = [:]
    }

    var flag = true
    var small = -1
    var large = Int64.max
    var least = Int64.min
    var unsigned = UInt64.max
    var half = 0.5
    var third = 1.0 / 3
    var tiny = Double.leastNonzeroMagnitude
    var huge = Double.greatestFiniteMagnitude
    var whole = 60.0
    var single = Float(0.5)
    var text = ""
    var day = Date(timeIntervalSinceReferenceDate: 86_400)
    var data = Data([0, 1, 254, 255])
    var list: [Inner] = [Inner(), Inner(name: "\u{7F}\r\n", isOn: true, empty: ["a.b": 1])]
    var optional: [Int?] = [1, nil, 3]
    var nested: [String: [String: [Int]]] = ["a": ["b": [], "c": [1, 2]], "": [:]]
    var long = String(repeating: "x", count: 70_000)
    var many = Array(0..<300)
}
