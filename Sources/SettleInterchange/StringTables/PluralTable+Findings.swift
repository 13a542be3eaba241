import Settle

extension PluralTable {
    /// A problem in a table that a program would encounter.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// An extensible kind of finding.
        public struct Kind: Sendable, Hashable, CustomStringConvertible {
            public let description: String
            /// Creates a kind of your own.
            public init(_ description: String) { self.description = description }

            /// An entry has no format.
            public static let missingFormat = Kind("missingFormat")
            /// A format, or the text of a variable, names a variable that the entry does not have.
            public static let undefinedVariable = Kind("undefinedVariable")
            /// No text names the variable.
            public static let unusedVariable = Kind("unusedVariable")
            /// The text of a variable names the variable itself, at once or through others.
            public static let circularVariable = Kind("circularVariable")
            /// A variable has no text for `other`.
            public static let missingOther = Kind("missingOther")
            /// A variable has no rule, or a rule other than that for plurals.
            public static let unknownRule = Kind("unknownRule")
            /// A variable does not specify how its number is passed.
            public static let missingValueType = Kind("missingValueType")
            /// A part that has no meaning here, or that this library does not know.
            public static let unknown = Kind("unknown")
        }

        /// The kind of finding.
        public let kind: Kind
        /// The key of the entry.
        public let key: String
        /// The name of the variable, or of the unknown part; `nil` if it is the entry.
        public let name: String?
        /// The problem, as a sentence without the key.
        public let reason: String

        public var description: String {
            "Key “\(key)”\(name.map { ", “\($0)”" } ?? ""): \(reason)"
        }
    }

    /// All problems in the table, in the order of the keys. Empty for a complete table.
    public var findings: [Finding] {
        (keys + unknown.keys).sorted { $0.precedesByBytes($1) }.flatMap { key in
            self[key].map { EntryCheck(key, $0).findings() }
                ?? [Finding(kind: .unknown, key: key, name: nil, reason: "The value is not a dictionary.")]
        }
    }
}

/// Finds the problems in one entry.
private struct EntryCheck {
    private let key: String
    private let entry: PluralTable.Entry
    private let names: [String]
    /// The variables that each variable's texts name.
    private var uses: [Name: Set<Name>] = [:]
    private var found: [PluralTable.Finding] = []

    init(_ key: String, _ entry: PluralTable.Entry) {
        self.key = key
        self.entry = entry
        names = entry.names
        for name in names {
            guard let texts = entry[name]?.texts.values else { continue }
            uses[Name(name)] = texts.reduce(into: []) { $0.formUnion(Self.variables(in: $1)) }
        }
    }

    consuming func findings() -> [PluralTable.Finding] {
        let used = entry.format.map(Self.variables(in:)) ?? []
        if entry.format == nil, entry.unknown.isEmpty || !names.isEmpty {
            add(.missingFormat, nil, "There is no format.")
        }
        let defined = Set(names.map(Name.init))
        let all = uses.values.reduce(into: used) { $0.formUnion($1) }
        for name in all.subtracting(defined).map(\.text).sorted(by: { $0.precedesByBytes($1) }) {
            add(.undefinedVariable, name, "A text names this variable, but it is not defined.")
        }
        let circular = circularVariables()
        for name in names {
            guard let variable = entry[name] else { continue }
            check(variable, name)
            if !all.contains(Name(name)) { add(.unusedVariable, name, "No text names this variable.") }
            if circular.contains(Name(name)) { add(.circularVariable, name, "The texts of this variable name itself.") }
        }
        for (name, _) in entry.unknown.sortedByKey() { add(.unknown, name, "This has no known meaning here.") }
        return found
    }

    private mutating func check(_ variable: PluralTable.Variable, _ name: String) {
        if variable.rule != PluralTable.Variable.pluralRule {
            add(.unknownRule, name, "The rule of the variable is not \(PluralTable.Variable.pluralRule).")
        }
        if variable.texts[.other] == nil { add(.missingOther, name, "The variable has no text for other.") }
        if variable.valueType == nil {
            add(.missingValueType, name, "The variable does not say how its number is passed.")
        }
        for (part, _) in variable.unknown.sortedByKey() {
            add(.unknown, name, "“\(part)” has no known meaning in a variable.")
        }
    }

    private mutating func add(_ kind: PluralTable.Finding.Kind, _ name: String?, _ reason: String) {
        found.append(PluralTable.Finding(kind: kind, key: key, name: name, reason: reason))
    }

    private func circularVariables() -> Set<Name> {
        let variables = names.map(Name.init)
        let numbers = Dictionary(uniqueKeysWithValues: zip(variables, 0...))
        let graph = variables.map { name in (uses[name] ?? []).compactMap { numbers[$0] } }
        return Set(CircularNodes.find(in: graph).map { variables[$0] })
    }

    /// Returns the names of the variables that a text names, as `%#@files@` or `%1$#@files@`.
    private static func variables(in text: String) -> Set<Name> {
        let bytes = Array(text.utf8)
        var names: Set<Name> = []
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "%")) {
            position = start + 1
            let digits = bytes[position...].prefix(while: \.isDigit)
            var rest = bytes[digits.endIndex...]
            if !digits.isEmpty, rest.first == UInt8(ascii: "$") { rest.removeFirst() }
            if rest.starts(with: "#@".utf8), let end = rest.dropFirst(2).firstIndex(of: UInt8(ascii: "@")) {
                names.insert(Name(String(decoding: rest.dropFirst(2)[..<end], as: UTF8.self)))
                position = end + 1
            } else if rest.first == UInt8(ascii: "%") {
                position = rest.startIndex + 1
            }
        }
        return names
    }
}

/// Finds the nodes of a graph that can be reached from themselves.
enum CircularNodes {
    /// - Parameter graph: The nodes after each node.
    static func find(in graph: [[Int]]) -> [Int] {
        var reversed = Array(repeating: [Int](), count: graph.count)
        for (node, followers) in graph.enumerated() { for follower in followers { reversed[follower].append(node) } }
        var isSeen = Array(repeating: false, count: graph.count)
        // Follow the edges backwards, from the last finished node: the nodes that can then be reached are those that
        // lead back.
        let order = graph.indices.flatMap { visit($0, graph, &isSeen) }
        isSeen = Array(repeating: false, count: graph.count)
        return order.reversed().flatMap { node in
            let component = visit(node, reversed, &isSeen)
            return component.count > 1 || graph[node].contains(node) ? component : []
        }
    }

    /// Returns the nodes that can be reached and have not been seen, in the order in which they are finished. Not
    /// recursive, since a file may have a long chain.
    private static func visit(_ start: Int, _ graph: [[Int]], _ isSeen: inout [Bool]) -> [Int] {
        guard !isSeen[start] else { return [] }
        isSeen[start] = true
        var left: [Int] = []
        var path = [(node: start, next: 0)]
        while let (node, next) = path.last {
            guard next < graph[node].count else {
                left.append(node)
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            let follower = graph[node][next]
            guard !isSeen[follower] else { continue }
            isSeen[follower] = true
            path.append((follower, 0))
        }
        return left
    }
}
