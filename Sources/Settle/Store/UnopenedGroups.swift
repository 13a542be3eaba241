/// The store of all groups that no store has opened. In memory only, for previews and tests.
///
/// Its settings are not in the index of its log: each lives as long as a copy of its group.
enum UnopenedGroups {
    static let core = StoreCore()
    private static let lock = Lock()

    /// A setting's place in the store, made if necessary.
    static func place(of box: AnySettingBox) -> Attachment {
        lock.withLock { attach(box, key: SettingKey(stored: box.declaredKey ?? ""), below: core.log.root) }
    }

    /// The channel of a group, with its settings in it.
    static func channel(of group: any SettingsGroup) -> Channel? {
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
        let signals = log.lock.withLock {
            var ended: Channel? = slot
            while let channel = ended {
                log.finish(channel)
                ended = nil
                guard let parent = channel.parent, parent !== log.root else { break }
                parent.memberCount -= 1
                if parent.memberCount == 0 { ended = parent }
            }
            return log.signals()
        }
        StoreCore.act(on: signals, log: log)
    }

    /// Under `lock`.
    private static func attach(_ box: AnySettingBox, key: SettingKey, below parent: Channel) -> Attachment {
        if let attachment = box.attachment { return attachment }
        let slot = SettingSlot(key: key, declaration: nil, schedule: nil, box: box, keepsBox: false, parent: parent)
        let attachment = Attachment(core: core, slot: slot)
        box.attach(to: attachment)
        return attachment
    }

    /// Puts the channels of a group's settings and of the groups within it below a channel of the group. Under both
    /// locks.
    private static func arrange(_ group: any SettingsGroup) -> Channel? {
        let root = core.log.root
        var parts: [Channel] = []
        for child in Mirror(reflecting: group).children {
            if let setting = child.value as? any AnySetting, let slot = setting.erasedBox.attachment?.slot {
                parts.append(slot)
            } else if let inner = child.value as? any SettingsGroup, let channel = arrange(inner) {
                parts.append(channel)
            }
        }
        guard !parts.isEmpty else { return nil }
        let own = parts.lazy.compactMap(\.parent).first { $0 !== root } ?? Channel(parent: root)
        for part in parts where part.parent === root {
            part.parent = own
            own.memberCount += 1
        }
        return own
    }
}
