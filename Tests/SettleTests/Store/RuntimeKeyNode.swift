import Settle

/// Nested dictionaries of numbers.
enum Node: Codable, Equatable, Sendable {
    case leaf(Int)
    indirect case branch([String: Node])

    /// The node at a key; a removal also removes the dictionaries that it leaves empty.
    subscript(key: String) -> Node? {
        get {
            key.split(separator: ".").reduce(self) { node, name in
                guard case .branch(let nodes)? = node else { return nil }
                return nodes[String(name)]
            }
        }
        set { set(newValue, at: key.split(separator: ".").map(String.init)[...]) }
    }

    init(_ node: Node, at key: String) {
        self = .branch([:])
        self[key] = node
    }

    private mutating func set(_ node: Node?, at names: ArraySlice<String>) {
        guard let first = names.first else { return }
        var nodes: [String: Node] = [:]
        if case .branch(let present) = self { nodes = present }
        if names.count == 1 {
            nodes[first] = node
        } else {
            var inner = nodes[first] ?? .branch([:])
            inner.set(node, at: names.dropFirst())
            nodes[first] = inner == .branch([:]) ? nil : inner
        }
        self = .branch(nodes)
    }

    init?(_ value: SettingValue) {
        switch value {
        case .integer(let number): self = .leaf(Int(number))
        case .dictionary(let values):
            self = .branch(
                Dictionary(uniqueKeysWithValues: values.compactMap { name, value in Node(value).map { (name, $0) } }))
        default: return nil
        }
    }

    private var value: SettingValue {
        switch self {
        case .leaf(let number): .integer(Int64(number))
        case .branch(let nodes): .dictionary(SettingValue.Entries(nodes.mapValues(\.value)))
        }
    }

    var tree: SettingTree {
        guard case .dictionary(let entries) = value else { return SettingTree() }
        return SettingTree(entries)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .leaf(number)
        } else {
            self = .branch(try container.decode([String: Node].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .leaf(let number): try container.encode(number)
        case .branch(let nodes): try container.encode(nodes)
        }
    }
}
