extension UnopenedGroups {
    /// Returns the topic of a group, with its settings in it.
    static func topic(of group: any SettingsGroup) -> Topic? {
        let layout = GroupLayout(group)
        return lock.withLock {
            for setting in layout.settings { attach(setting.box, key: setting.key).slot.learn(key: setting.key) }
            return engine.log.lock.withLock { arrange(group) }
        }
    }

    /// Puts the topics of a group's settings and of the groups within it below a topic of the group. Requires both
    /// locks.
    private static func arrange(_ group: any SettingsGroup) -> Topic? {
        let root = engine.log.root
        var parts: [Topic] = []
        for member in GroupMember.all(in: group) {
            switch member.kind {
            case .setting(let setting): if let slot = setting.erasedBox.existingPlacement?.slot { parts.append(slot) }
            case .group(let inner): if let topic = arrange(inner) { parts.append(topic) }
            case .other: break
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
