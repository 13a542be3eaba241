import Settle
import SettleInterchange
import SettleTestSupport
import Testing

/// Searches among declared settings.
@Suite(.timeLimit(.minutes(10))) struct DeclaredSettingsTests {
    private func settings(_ keys: [SettingKey], secrets: Set<SettingKey> = []) -> DeclaredSettings {
        DeclaredSettings(
            keys.map { DeclaredSetting(key: $0, schema: secrets.contains($0) ? ["writeOnly": .bool(true)] : [:]) })
    }

    @Test("A search finds what a comparison with every setting finds") func searches() {
        let keys: [SettingKey] = [
            "a", "a-b", "a-b.c", "a b.c", "ab", "b.c", "b.c-d.e", "b.c d", "b.d.e", "b.d.f", "b\\.d.e", "c.d.e.f",
            "é.x",
        ]
        let secrets: Set<SettingKey> = ["a-b.c", "b.d.f", "c.d.e.f", "b\\.d.e"]
        let declared = settings(keys, secrets: secrets)
        let others: [SettingKey] = [
            "a-b", "b", "b.d", "b\\.d", "c", "c.d", "c.d.e.f.g", "a.x", "d", "b.c-d", "é",
        ]
        for key in keys + others {
            let related = declared.all.map(\.key).filter { $0 == key || $0.contains(key) || $0.isWithin(key) }
            #expect(declared.related(to: key).map(\.key) == related, "\(key)")
            let around = keys.contains(key) ? key : declared.all.map(\.key).first { $0.contains(key) }
            #expect(declared.setting(around: key)?.key == around, "\(key)")
            #expect(declared.isSecret(key) == secrets.contains { $0 == key || $0.contains(key) }, "\(key)")
            let isGroup = !keys.contains(key) && keys.contains { $0.isWithin(key) }
            #expect(declared.isGroup(key) == isGroup, "\(key)")
        }
        var tree = SettingTree()
        tree["d.e"] = .integer(1)
        tree["d.f"] = .integer(2)
        let shown = SettingTree(["b": declared.hidingSecrets(in: .dictionary(tree.root), at: "b")])
        #expect(shown["b.d.e"] == .integer(1) && shown["b.d.f"] == .string("••••"))
        #expect(declared.hidingSecrets(in: .integer(3), at: "c.d.e.f.g") == .string("••••"))
        #expect(declared.hidingSecrets(in: .integer(3), at: "b.d.e") == .integer(3))
    }

    @Test("A name with dots means the declared path, unless it is declared itself") func spellings() {
        let declared = settings(["a.b.c", "a.d", "x.y", "x\\.y"], secrets: ["a.b.c", "x.y"])
        let secret = SettingValue.string("hunter2")
        for key in ["a\\.b\\.c", "a.b\\.c"] as [SettingKey] {
            #expect(declared.setting(at: key)?.key == "a.b.c" && declared.related(to: key).map(\.key) == ["a.b.c"])
            #expect(declared.isSecret(key) && declared.isSecret(key.appending(component: "e")))
            var tree = SettingTree()
            tree[key] = secret
            #expect(declared.hidingSecrets(in: tree)[key] == .string("••••"))
            #expect(declared.storedKey(of: "a.b.c.e", in: tree) == key.appending(component: "e"))
            #expect(declared.declaredKey(of: key.appending(component: "e")) == "a.b.c.e")
            var path = SettingTree()
            path["a.b.c"] = .integer(1)
            #expect(declared.respelled(path, as: tree)[key] == .integer(1))
            #expect(declared.respelled(path, as: tree)["a.b.c"] == nil)
        }
        var tree = SettingTree()
        tree["a.b\\.c"] = secret
        if let inner = tree["a"] {
            #expect(declared.hidingSecrets(in: inner, at: "a") == .dictionary(["b.c": .string("••••")]))
        }
        #expect(declared.keys(at: "a") == ["a", "a\\.b\\.c", "a\\.d"])
        #expect(declared.keys(at: "a.b\\.c.e") == ["a\\.b\\.c.e", "a.b\\.c.e", "a.b.c.e"])
        #expect(declared.keys(at: "other.x") == ["other.x"])
        #expect(declared.setting(at: "x\\.y")?.key == "x\\.y" && !declared.isSecret("x\\.y"))
    }

    @Test("Questions about all settings take a time that is proportional to their number") func growth() {
        let isLinear = isProportional(1_000) { count in
            let keys = (0..<count).compactMap { SettingKey("group\($0 % 10).setting\($0)") }
            let declared = settings(keys, secrets: Set(keys.prefix(count / 2)))
            var found = 0
            for key in keys {
                found += declared.related(to: key).count + (declared.setting(around: key) == nil ? 0 : 1)
                found += (declared.isSecret(key) ? 1 : 0) + (declared.isGroup(key) ? 1 : 0)
                if declared.hidingSecrets(in: .integer(1), at: key) == .integer(1) { found += 1 }
            }
            #expect(found == 3 * count)
        }
        #expect(isLinear)
    }
}
