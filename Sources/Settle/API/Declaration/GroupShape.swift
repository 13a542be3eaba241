/// The offsets of the properties in the values of a type of groups. Determined once for each type, because a mirror
/// looks them up again for each value.
final class GroupShape: Sendable {
    /// The location of a setting, in the group or in a group within it.
    private enum Source: Sendable {
        case setting(offset: Int)
        /// A property of an optional, a protocol or a class type: it depends on the value whether it is a setting or a
        /// group.
        case open(any Any.Type, offset: Int)

        func moved(by distance: Int) -> Source {
            switch self {
            case .setting(let offset): .setting(offset: offset + distance)
            case .open(let type, let offset): .open(type, offset: offset + distance)
            }
        }
    }

    /// Whether copies need no foreign code: each value has its settings at the same offsets.
    var isFixed: Bool { sources.allSatisfy { if case .setting = $0 { true } else { false } } }

    /// The type's name. Spelling a type takes as long as everything else about a setting.
    private let name: String
    private let properties: [StoredProperty]
    private let sources: [Source]
    /// Whether a group's memory has no references other than those of its settings.
    private let hasOnlySettings: Bool

    private static let known = LockedValue<[ObjectIdentifier: GroupShape]>([:])

    /// Returns the shape of a type; `nil` for a group that is not a struct.
    static func of(_ type: any SettingsGroup.Type) -> GroupShape? {
        let id = ObjectIdentifier(type)
        if let shape = known.withLock({ $0[id] }) { return shape }
        guard isStruct(type) else { return nil }
        let shape = GroupShape(type)
        known.withLock { $0[id] = shape }
        return shape
    }

    /// Returns the name of a type of groups.
    static func name(of type: any SettingsGroup.Type) -> String { of(type)?.name ?? "\(type)" }

    private init(_ type: any SettingsGroup.Type) {
        name = "\(type)"
        properties = StoredProperty.all(of: type)
        sources = properties.flatMap(Self.sources)
        hasOnlySettings = properties.allSatisfy { property in
            if property.type is any AnySetting.Type || isPlainMemory(property.type) { return true }
            return (property.type as? any SettingsGroup.Type).flatMap(Self.of)?.hasOnlySettings == true
        }
    }

    private static func sources(in property: StoredProperty) -> [Source] {
        let (type, offset) = (property.type, property.offset)
        guard property.isStrong else { return [] }
        if type is any AnySetting.Type { return [.setting(offset: offset)] }
        guard let group = type as? any SettingsGroup.Type else {
            return isStruct(type) || isEnum(type) ? [] : [.open(type, offset: offset)]
        }
        return of(group)?.sources.map { $0.moved(by: offset) } ?? [.open(type, offset: offset)]
    }

    // MARK: Reading

    /// Returns the properties of a group, in the order of declaration.
    func members(at group: UnsafeRawPointer) -> [GroupMember] {
        properties.map { property in
            let value = property.isStrong ? Self.value(at: group + property.offset, property.type) : ()
            return GroupMember(label: property.name, isVariable: property.isVariable, kind: GroupMember.Kind(of: value))
        }
    }

    private static func value(at address: UnsafeRawPointer, _ type: any Any.Type) -> Any {
        func load<Value>(_: Value.Type) -> Any { address.assumingMemoryBound(to: Value.self).pointee }
        return load(type)
    }

    /// Calls a closure with each setting of a group and of the groups within it, in the order of declaration, until it
    /// returns false.
    ///
    /// - Returns: Whether the closure always returned true.
    @discardableResult
    static func forEachBox(in group: some SettingsGroup, _ body: (AnySettingBox) -> Bool) -> Bool {
        guard let shape = of(type(of: group)) else {
            return GroupMember.all(in: group).allSatisfy { forEachBox(in: $0.kind, body) }
        }
        return withUnsafePointer(to: group) { group in
            let group = UnsafeRawPointer(group)
            return shape.sources.allSatisfy { source in
                switch source {
                case .setting(let offset): body((group + offset).load(as: ErasedSetting.self).box)
                case .open(let type, let offset): forEachBox(in: .init(of: value(at: group + offset, type)), body)
                }
            }
        }
    }

    private static func forEachBox(in member: GroupMember.Kind, _ body: (AnySettingBox) -> Bool) -> Bool {
        switch member {
        case .setting(let setting): body(setting.erasedBox)
        case .group(let inner): forEachBox(in: inner, body)
        case .other: true
        }
    }

    // MARK: Copying

    /// Returns a copy of a group with other boxes for its settings and for those of the groups within it.
    ///
    /// - Parameter newBox: Returns a box of the same type.
    static func copy<Group: SettingsGroup>(
        _ group: Group, keeping keeper: Keeper? = nil, _ newBox: (AnySettingBox) -> AnySettingBox
    ) -> Group {
        guard let shape = of(Group.self) else { return copyWithInitializer(group, newBox) }
        return withUnsafeTemporaryAllocation(of: Group.self, capacity: 1) { copy in
            // Proof: the buffer has room for one group, which is copied there.
            let copy = copy.baseAddress!
            withUnsafePointer(to: group) { shape.copy($0, to: copy, keeper, newBox) }
            return copy.move()
        }
    }

    private func copy<Group: SettingsGroup>(
        _ original: UnsafePointer<Group>, to copy: UnsafeMutablePointer<Group>, _ keeper: Keeper?,
        _ newBox: (AnySettingBox) -> AnySettingBox
    ) {
        let (original, raw) = (UnsafeRawPointer(original), UnsafeMutableRawPointer(copy))
        if hasOnlySettings {
            raw.copyMemory(from: original, byteCount: MemoryLayout<Group>.size)
        } else {
            raw.initializeMemory(as: Group.self, from: original.assumingMemoryBound(to: Group.self), count: 1)
        }
        for source in sources {
            switch source {
            case .setting(let offset):
                // Proof: in memory each `Setting` is an `ErasedSetting`.
                let box = (original + offset).withMemoryRebound(to: ErasedSetting.self, capacity: 1) { $0.pointee.box }
                let new = ErasedSetting(box: newBox(box), keeper: keeper)
                (raw + offset).withMemoryRebound(to: ErasedSetting.self, capacity: 1) { setting in
                    // Copied bytes own nothing that must be released.
                    if hasOnlySettings { setting.initialize(to: new) } else { setting.pointee = new }
                }
            case .open(let type, let offset): Self.replace(at: raw + offset, type, keeper, newBox)
            }
        }
    }

    private static func replace(
        at address: UnsafeMutableRawPointer, _ type: any Any.Type, _ keeper: Keeper?,
        _ newBox: (AnySettingBox) -> AnySettingBox
    ) {
        func replace<Value>(_: Value.Type) {
            let property = address.assumingMemoryBound(to: Value.self)
            // The casts only restore the declared type.
            switch GroupMember.Kind(of: property.pointee) {
            case .setting(let setting):
                let copy = setting.with(newBox(setting.erasedBox), keeping: keeper)
                if let copy = copy as? Value { property.pointee = copy }
            case .group(let inner):
                if let copy = copy(inner, keeping: keeper, newBox) as? Value { property.pointee = copy }
            case .other: break
            }
        }
        replace(type)
    }

    /// Copies a group that is not a struct with its initializer: an object can't be copied.
    private static func copyWithInitializer<Group: SettingsGroup>(
        _ group: Group, _ newBox: (AnySettingBox) -> AnySettingBox
    ) -> Group {
        let copy = Group()
        for (own, box) in zip(GroupLayout.boxes(of: copy), GroupLayout.boxes(of: group)) {
            own.become(aliasOf: newBox(box))
        }
        return copy
    }
}
