import Settle
import SettleInterchange

/// The verb that lists settings.
enum ListVerb {
    static let list = Verb(
        name: "list", aliases: ["ls"], scope: .domain, operands: [.key.optional], options: [.null],
        summary: "Lists settings as a tree, with their values, types, and the domains of the values.",
        details: """
            They are in the order of their declaration; what is not declared comes last in its group, by key. What a \
            declared setting has as its default is listed, too. With a key, only what is within it. On a terminal, long \
            texts are cut to its width.
            """,
        action: { invocation in
            let target = try invocation.target()
            let (showsSecrets, declared) = (try invocation.showsSecrets(), try target.declared())
            let text = invocation.operands.first
            let (rows, unconfirmed) = try await target.reading { store in
                let prefix = try text.map { try invocation.key($0, declared, store.keys.effectiveValues) }
                let stored = store.keys.effectiveValues.leaves(within: declared).map(declared.declaredKey)
                let keys = Set(stored + declared.all.map(\.key))
                let listed = keys.filter { prefix == nil || $0 == prefix || $0.isWithin(prefix ?? $0) }
                let rows = declared.sorted(listed)
                    .map { key in
                        // A list shows no locations, and to name one the whole file is read for each key.
                        let explanation = store.keys.explanationWithoutPlaces(forKey: key)
                        return ListRow(explanation, declared[key], isSecret: declared.isSecret(key))
                    }
                return (rows, store.unconfirmed.change)
            }
            let stored = showsSecrets ? try? await target.storedValues() : nil
            let shown = rows.map { row in
                row.isSecret ? row.revealed(stored.flatMap { $0[declared.storedKey(of: row.key, in: $0)] }) : row
            }
            guard !shown.isEmpty || text == nil else { throw target.missing(text ?? "") }
            if shown.isEmpty { _ = try await target.values() }
            guard invocation.format == nil else {
                return try invocation.show(.array(shown.map(\.record)))
            }
            guard !invocation.has(.null) else {
                return try invocation.terminal.showRecords(shown.map { [$0.key.description, $0.recordText] })
            }
            try ListRow.write(shown, declared, to: invocation.terminal)
            invocation.tellUnconfirmed(unconfirmed)
        })
}

extension SettingTree {
    /// Returns the keys of all values that are not dictionaries with entries, or that are declared.
    func leaves(within declared: DeclaredSettings) -> [SettingKey] {
        var keys: [SettingKey] = []
        func add(_ value: SettingValue, at key: SettingKey) {
            guard case .dictionary(let entries) = value, !entries.isEmpty, declared.setting(at: key) == nil else {
                return keys.append(key)
            }
            for (name, value) in entries { add(value, at: key.appending(component: name)) }
        }
        for (name, value) in root { add(value, at: .path(name)) }
        return keys
    }
}

/// A line of the list.
private struct ListRow: Sendable {
    let key: SettingKey
    let type: String
    let domain: DomainName
    let isSecret: Bool
    let isLocked: Bool
    private(set) var value: SettingValue?

    init(_ explanation: Explanation, _ setting: DeclaredSetting?, isSecret: Bool) {
        key = SettingKey(explanation.key) ?? "x"
        self.isSecret = isSecret || explanation.isSecret
        let stored = explanation.value ?? (explanation.answers.isEmpty ? setting?.defaultValue : nil)
        value = self.isSecret ? nil : stored
        type = explanation.type ?? setting?.type ?? stored?.typeName ?? ""
        domain = explanation.domain
        isLocked = explanation.answers.contains(where: \.locksKey)
    }

    func revealed(_ value: SettingValue?) -> ListRow {
        var row = self
        row.value = value
        return row
    }

    var record: SettingValue {
        var record: SettingValue.Entries = [
            "key": .string(key.description), "type": .string(type), "domain": .string(domain.description),
        ]
        record["value"] = value
        if isSecret { record["isSecret"] = .bool(true) }
        if isLocked { record["isLocked"] = .bool(true) }
        return .dictionary(record)
    }

    /// The value in a record.
    var recordText: String { value?.recordText ?? (isSecret ? redaction : "") }

    /// Writes rows, in which each group is in one piece. Names that several rows share are written once, with the title
    /// of the group, and with the rest indented below.
    static func write(
        _ rows: [ListRow], _ declared: DeclaredSettings, to terminal: any CommandTerminal
    ) throws(CommandFailure) {
        var table = TextTable()
        var parents: [String] = []
        for row in rows {
            let names = row.key.components
            let around = Array(names.dropLast())
            let common = zip(parents, around).prefix { $0 == $1 }.count
            for (depth, name) in around.enumerated().dropFirst(common) {
                let group = SettingKey(components: around.prefix(depth + 1)).flatMap(declared.group)
                let cell = TextTable.Cell(text: "\(indentation(depth))\(name)", style: .strong)
                if let title = group?.title { table.add(cell, .init(text: title)) } else { table.add(cell) }
            }
            parents = around
            let value = row.value?.line ?? (row.isSecret ? redaction : "")
            table.add(
                .init(text: "\(indentation(around.count))\(names.last ?? "")"),
                .init(text: value, style: row.isSecret ? .faint : .green),
                .init(text: row.type, style: .faint),
                .init(text: row.isLocked ? "\(row.domain), locked" : "\(row.domain)", style: .faint))
        }
        try table.write(to: terminal, isCut: true)
    }

    private static func indentation(_ depth: Int) -> String { String(repeating: "  ", count: depth) }
}
