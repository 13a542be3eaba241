/// The store of all groups that no store has opened. In memory only, for previews and tests.
///
/// Its settings are not in the index of its log: each lives as long as a copy of its group.
enum UnopenedGroups {
    static let core = StoreCore()
    private static let lock = Lock()

    /// A setting's place in the store, made if necessary.
    static func place(of box: AnySettingBox) -> Placement {
        lock.withLock { attach(box, key: SettingKey(stored: box.declaredKey ?? ""), below: core.log.root) }
    }

    /// The topic of a group, with its settings in it.
    static func topic(of group: any SettingsGroup) -> Topic? {
        let layout = GroupLayout(group)
        return lock.withLock {
            for setting in layout.settings {
                attach(setting.box, key: setting.key, below: core.log.root).slot.learn(key: setting.key)
            }
            return core.log.lock.withLock { arrange(group) }
        }
    }

    /// Ends the streams of a setting whose group has lost its last copy, and, with the last setting of a group, those
    /// of the group.
    static func ended(_ slot: SettingSlot) {
        let log = core.log
        let wakeUps = log.lock.withLock {
            var ended: Topic? = slot
            while let topic = ended {
                log.finish(topic)
                ended = nil
                guard let parent = topic.parent, parent !== log.root else { break }
                parent.memberCount -= 1
                if parent.memberCount == 0 { ended = parent }
            }
            return log.wakeUps()
        }
        StoreCore.act(on: wakeUps, log: log)
    }

    /// Under `lock`.
    private static func attach(_ box: AnySettingBox, key: SettingKey, below parent: Topic) -> Placement {
        if let placement = box.placement { return placement }
        let slot = SettingSlot(key: key, declaration: nil, schedule: nil, box: box, keepsBox: false, parent: parent)
        let placement = Placement(core: core, slot: slot)
        box.attach(to: placement)
        return placement
    }

    /// Puts the topics of a group's settings and of the groups within it below a topic of the group. Under both
    /// locks.
    private static func arrange(_ group: any SettingsGroup) -> Topic? {
        let root = core.log.root
        var parts: [Topic] = []
        for child in Mirror(reflecting: group).children {
            if let setting = child.value as? any AnySetting, let slot = setting.erasedBox.placement?.slot {
                parts.append(slot)
            } else if let inner = child.value as? any SettingsGroup, let topic = arrange(inner) {
                parts.append(topic)
            }
        }
        guard !parts.isEmpty else { return nil }
        let own = parts.lazy.compactMap(\.parent).first { $0 !== root } ?? Topic(parent: root)
        for part in parts where part.parent === root {
            part.parent = own
            own.memberCount += 1
        }
        return own
    }
}
