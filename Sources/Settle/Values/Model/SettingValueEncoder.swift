/// Encodes `Encodable` values as ``SettingValue``s.
///
/// Types with a spelling of their own (see ``SettingCodec/standard``) keep it at every depth.
package struct SettingValueEncoder {
    package var userInfo: [CodingUserInfoKey: Any] = [:]

    package init() {}

    package func encode<Value: Encodable>(_ value: Value) throws(SettingCodingError) -> SettingValue {
        let node = EncodedNode()
        do {
            try NodeEncoder(node: node, codingPath: [], userInfo: userInfo, depth: 0).encode(value)
        } catch let error as SettingCodingError {
            throw error
        } catch let EncodingError.invalidValue(_, context) {
            throw SettingCodingError(
                path: context.codingPath.map(\.stringValue),
                expected: "a value of type \(Value.self) that can be stored",
                found: "one that cannot: \(context.debugDescription)")
        } catch {
            throw SettingCodingError(
                expected: "a value of type \(Value.self) that can be stored", found: "one that cannot: \(error)")
        }
        return try node.value()
    }
}

/// A node of the value being encoded. Containers fill it while others may still reference it.
private final class EncodedNode {
    private enum Content {
        case nothing
        case value(SettingValue)
        case array([EncodedNode])
        case dictionary([Name: EncodedNode])
        /// Two different containers, or two values, were requested for the same node.
        case contradiction
    }

    private var content = Content.nothing

    func set(_ value: SettingValue) {
        if case .nothing = content { content = .value(value) } else { content = .contradiction }
    }

    func beginArray() {
        switch content {
        case .nothing: content = .array([])
        case .array: break
        default: content = .contradiction
        }
    }

    func beginDictionary() {
        switch content {
        case .nothing: content = .dictionary([:])
        case .dictionary: break
        default: content = .contradiction
        }
    }

    var count: Int {
        if case .array(let nodes) = content { nodes.count } else { 0 }
    }

    func appendNode() -> EncodedNode {
        let node = EncodedNode()
        if case .array(var nodes) = content {
            content = .nothing
            nodes.append(node)
            content = .array(nodes)
        }
        return node
    }

    /// A second value for one key replaces the first, as in every keyed container.
    func node(for key: String) -> EncodedNode {
        let node = EncodedNode()
        if case .dictionary(var nodes) = content {
            content = .nothing
            nodes[Name(key)] = node
            content = .dictionary(nodes)
        }
        return node
    }

    /// The dictionary's node for a nested container, which may be requested several times.
    func existingNode(for key: String) -> EncodedNode? {
        if case .dictionary(let nodes) = content { nodes[Name(key)] } else { nil }
    }

    func sortElements(ofPairs: Bool) throws(SettingCodingError) {
        guard case .array(let values) = try value() else { return }
        guard ofPairs else {
            content = .value(.array(values.sorted(by: SettingValue.isInSpellingOrder)))
            return
        }
        let pairs = stride(from: 0, to: values.count - 1, by: 2).map { (key: values[$0], value: values[$0 + 1]) }
        let sorted = pairs.sorted { SettingValue.isInSpellingOrder($0.key, $1.key) }
        content = .value(.array(sorted.flatMap { [$0.key, $0.value] }))
    }

    func value() throws(SettingCodingError) -> SettingValue {
        switch content {
        case .nothing:
            throw SettingCodingError(expected: "a value", found: "a type that encodes nothing")
        case .value(let value):
            return value
        case .array(let nodes):
            var values: [SettingValue] = []
            values.reserveCapacity(nodes.count)
            for (position, node) in nodes.enumerated() {
                values.append(try converting(at: String(position), try node.value()))
            }
            return .array(values)
        case .dictionary(let nodes):
            var values: SettingValue.Entries = [:]
            values.reserveCapacity(nodes.count)
            for (key, node) in nodes { values[key.text] = try converting(at: key.text, try node.value()) }
            return .dictionary(values)
        case .contradiction:
            throw SettingCodingError(expected: "one value", found: "a type that encodes several")
        }
    }
}

private struct NodeEncoder: Encoder {
    let node: EncodedNode
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    /// The number of values being encoded around this one.
    let depth: Int

    /// Far more than files can hold, yet small enough for the stack of any thread.
    private static let depthLimit = 2 * SettingValue.depthLimit

    func encode<Value: Encodable>(_ value: Value) throws {
        guard depth < Self.depthLimit else {
            throw SettingCodingError(
                expected: "at most \(SettingValue.depthLimit) levels of arrays and dictionaries", found: "more")
        }
        if let type = directType(Value.self), try encode(value, as: type) { return }
        try value.encode(to: NodeEncoder(node: node, codingPath: codingPath, userInfo: userInfo, depth: depth + 1))
        if let type = Value.self as? any UnorderedCollection.Type {
            do throws(SettingCodingError) {
                try node.sortElements(ofPairs: type.isOfPairs)
            } catch {
                throw error.below(codingPath.map(\.stringValue))
            }
        }
    }

    private func encode<Direct: DirectSettingValue>(_ value: some Encodable, as type: Direct.Type) throws -> Bool {
        guard let value = value as? Direct else { return false }
        do throws(SettingCodingError) {
            node.set(try value.settingValue())
        } catch {
            throw error.below(codingPath.map(\.stringValue))
        }
        return true
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginDictionary()
        return KeyedEncodingContainer(KeyedNodes(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return UnkeyedNodes(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleNode(encoder: self)
    }

    func encoder(at node: EncodedNode, _ key: any CodingKey) -> NodeEncoder {
        NodeEncoder(node: node, codingPath: codingPath + [key], userInfo: userInfo, depth: depth)
    }
}

/// The collections whose elements have no order.
protocol UnorderedCollection {
    /// Whether they are encoded as an array of alternating keys and values.
    static var isOfPairs: Bool { get }
}

extension Set: UnorderedCollection {
    static var isOfPairs: Bool { false }
}

extension Dictionary: UnorderedCollection {
    static var isOfPairs: Bool { true }
}

private struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) { encoder.node.node(for: key.stringValue).set(.null) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try child(key).encode(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.encoder(at: encoder.node.node(for: SuperKey.text), SuperKey())
    }

    func superEncoder(forKey key: Key) -> any Encoder { child(key) }

    private func child(_ key: Key) -> NodeEncoder {
        encoder.encoder(at: encoder.node.node(for: key.stringValue), key)
    }

    private func nested(_ key: Key) -> NodeEncoder {
        guard let node = encoder.node.existingNode(for: key.stringValue) else { return child(key) }
        return encoder.encoder(at: node, key)
    }
}

private struct UnkeyedNodes: UnkeyedEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    func encodeNil() { encoder.node.appendNode().set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }

    func superEncoder() -> any Encoder { next() }

    private func next() -> NodeEncoder {
        let key = PositionKey(count)
        return encoder.encoder(at: encoder.node.appendNode(), key)
    }
}

private struct SingleNode: SingleValueEncodingContainer {
    let encoder: NodeEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.node.set(.null) }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.encode(value) }
}
