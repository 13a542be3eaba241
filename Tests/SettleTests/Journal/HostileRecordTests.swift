import FoundationEssentials
import SettleTesting
import Testing

@testable import Settle

/// Records whose checksums are right and whose contents are not, as somebody could write them on purpose.
@Suite struct HostileRecordTests {
    private static let start = JournalPosition.start(of: 7)
    private static let version = FileVersion(hash: 1, size: 2)
    private static let token = ChangeToken(history: 3, position: 4, checksum: 5)

    private static func batch(_ values: [SettingKey: SettingValue?]) -> JournalBatch {
        JournalBatch(
            revision: 1, author: "x",
            entries: values.sorted(by: \.key).map { JournalEntry(key: $0.key, value: $0.value) })
    }

    private static let mutations = [
        StoredMutation(key: "a", oldValue: nil, newValue: .integer(1)), StoredMutation(withheldAt: "b"),
        StoredMutation(key: "c", oldValue: .bool(true), newValue: nil),
    ]

    private static func transaction(
        _ mutations: [StoredMutation]?, count: UInt64 = 1, origin: ValueOrigin = .local
    ) -> StoredTransaction {
        StoredTransaction(
            time: 8, author: TransactionAuthor(name: "n", program: "p", process: 1, user: "u"), origin: origin,
            undone: token, reason: "r", count: count, mutations: mutations)
    }

    /// One of each kind, with everything that it may have.
    private static let records: [JournalRecord.Content] = {
        let listed = JournalTransactions(
            position: 9, count: 4, time: 7,
            list: [transaction(mutations), transaction(nil, count: 2), transaction([], origin: .external)])
        var whole = batch(["a": .integer(1), "c": nil])
        whole.transactions = JournalTransactions(
            position: 9, count: 1, time: 7,
            list: [
                transaction([
                    StoredMutation(key: "a", oldValue: .bool(true), newValue: .integer(1)),
                    StoredMutation(key: "c", oldValue: .integer(2), newValue: nil),
                ])
            ])
        let mirror = JournalBase.Mirror(version, [JournalEntry(key: "a", value: .integer(2))])
        let stateMirror = JournalBase.Mirror(version, mirror.difference, isOfState: true)
        let news = JournalBase.News(keys: ["a", "b"], edited: ["c"], united: token, unitedKeys: ["d"])
        return [
            .values(whole), .values(batch(["a": .array([.dictionary(["x": .string("y")])]), "b": nil])),
            .edited(mirror, whole), .united(JournalUnion(origin: token, mirrors: [mirror], batch: whole)),
            .base(JournalBase(tree: SettingTree(["a": .integer(1)]), mirrors: [mirror], news: news)),
            .base(JournalBase(tree: SettingTree(["a": .integer(1)]), mirrors: [mirror], news: .everything)),
            .mirroring(version), .mirrored(version), .kept(batch(["a": .array([.integer(1)])])),
            .history(JournalHistory(policy: .keep(transactions: 5, for: .days(6)), secrets: ["s"])), .past(listed),
            .state(JournalStateKeys(added: ["a"], removed: ["b"], mirrors: [stateMirror])),
        ]
    }()

    private func encoded(_ content: JournalRecord.Content) -> [UInt8] {
        JournalRecord(content, durableEnd: 0).encoded(at: Self.start).bytes
    }

    @Test("Transactions at a position that no history reaches are damage") func hugePositions() throws {
        func past(_ position: UInt64) -> [UInt8] {
            encoded(.past(JournalTransactions(position: position, count: 1, time: 7, list: [Self.transaction(nil)])))
        }
        for position: UInt64 in [.max, 1 << 62] {
            #expect(throws: JournalError.damaged) { try read(past(position)) }
        }
        _ = try read(past((1 << 62) - 1))
    }

    /// Reads a record as if its checksum were right.
    private func read(_ bytes: [UInt8]) throws -> JournalRecord {
        try bytes.withUnsafeBytes { bytes in
            let reader = JournalRecordReader(bytes: bytes, base: Self.start.offset, generation: Self.start.generation)
            let header = try #require(reader.header(at: Self.start.offset))
            _ = reader.mirror(header, at: Self.start.offset)
            return try reader.record(header, at: Self.start.offset)
        }
    }

    private func isRefused(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try read(bytes)
            return false
        } catch {
            return (error as? JournalError) == .damaged
        }
    }

    /// The keys' checksum, which is checked by itself, made right again.
    private func sealed(_ bytes: [UInt8], keys count: UInt32? = nil) -> [UInt8] {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { bytes in
            let payload = UnsafeMutableRawBufferPointer(rebasing: bytes[JournalRecordHeader.size...])
            let size = Int(UnsafeRawBufferPointer(payload).number(UInt32.self, at: 0))
            let old = UnsafeRawBufferPointer(payload).number(UInt32.self, at: 4)
            let section = UnsafeMutableRawBufferPointer(rebasing: payload[..<(JournalKeySection.size + size)])
            JournalKeySection.seal(
                section, count: count ?? old, generation: Self.start.generation, offset: Self.start.offset)
        }
        return bytes
    }

    /// Where the payload begins and ends behind its keys.
    private func contents(_ bytes: [UInt8]) -> Range<Int> {
        let start = JournalRecordHeader.size
        return bytes.withUnsafeBytes { bytes in
            let (size, keys) = (Int(bytes.number(UInt32.self, at: 0)), Int(bytes.number(UInt32.self, at: start)))
            return start + JournalKeySection.size + keys..<start + size
        }
    }

    @Test("A record with any other byte is refused, or read as one that can be written and read again")
    func bytes() throws {
        var (refused, read) = (0, 0)
        for content in Self.records {
            let bytes = encoded(content)
            #expect(try self.read(bytes).spelling == JournalRecord(content, durableEnd: 0).spelling)
            for index in contents(bytes) {
                let others = (0..<8).map { bytes[index] ^ (1 << $0) } + [0, 1, 2, 5, 12, 13, 127, 255]
                for byte in Set(others).sorted() where byte != bytes[index] {
                    var changed = bytes
                    changed[index] = byte
                    guard let found = try? self.read(changed) else {
                        refused += 1
                        continue
                    }
                    read += 1
                    let again = try self.read(encoded(found.content))
                    #expect(again.spelling == found.spelling, "byte \(index) of \(content) as \(byte)")
                }
            }
        }
        #expect(refused > 1_000 && read > 1_000, "\(refused) refused, \(read) read")
    }

    @Test("A record of another kind, with or without transactions, is refused or read as that kind")
    func kinds() throws {
        for content in Self.records {
            for kind in UInt8(1)...11 {
                for flag in [0, 1] as [UInt8] {
                    for keys in [nil, 0, JournalKeySection.everything] as [UInt32?] {
                        var bytes = encoded(content)
                        (bytes[4], bytes[5]) = (kind, flag)
                        guard let found = try? read(sealed(bytes, keys: keys)) else { continue }
                        #expect(try read(encoded(found.content)).spelling == found.spelling)
                    }
                }
            }
        }
    }

    @Test("A record that is longer or shorter than its contents is refused") func lengths() {
        for content in Self.records {
            var bytes = encoded(content) + [UInt8](repeating: 0, count: 8)
            bytes[0] += 1
            #expect(isRefused(bytes), "\(content)")
            bytes[0] -= 2
            #expect(isRefused(bytes), "\(content)")
        }
    }

    @Test("Keys that are not as many as they say are refused, as are those with a wrong checksum") func keys() {
        let bytes = encoded(.values(Self.batch(["a": .integer(1), "b": .integer(2)])))
        #expect(!isRefused(bytes))
        for count in [0, 1, 3, 1_000, JournalKeySection.everything] as [UInt32] {
            #expect(isRefused(sealed(bytes, keys: count)), "\(count)")
        }
        var damaged = bytes
        damaged[JournalRecordHeader.size + 8] ^= 1
        #expect(isRefused(damaged))
    }

    @Test("A base without a version of the file is refused") func noMirror() {
        #expect(isRefused(encoded(.base(JournalBase(tree: SettingTree(), mirrors: [])))))
    }

    @Test("Transactions that do not add up are refused") func sums() throws {
        func past(_ list: [StoredTransaction], count: UInt64, position: UInt64 = 1 << 61, time: Double = 7) -> [UInt8] {
            encoded(.past(JournalTransactions(position: position, count: count, time: time, list: list)))
        }
        let single = Self.transaction(Self.mutations)
        #expect(!isRefused(past([single, single], count: 2)))
        #expect(isRefused(past([single, single], count: 3)))
        #expect(isRefused(past([single], count: 0)))
        #expect(isRefused(past([single], count: 2, position: 1)))
        #expect(isRefused(past([single], count: 1, time: .nan)))
        #expect(isRefused(past([Self.transaction(nil, count: 0)], count: 1)))
        #expect(isRefused(past([Self.transaction(nil, count: .max), single], count: 1)))
        var late = single
        late.time = .infinity
        #expect(isRefused(past([late], count: 1)))
        let half = StoredMutation(key: "b", oldValue: .string("half-told"), newValue: .integer(3))
        var bytes = past([Self.transaction([half])], count: 1)
        let told = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("half-told".utf8)) })
        // Withheld in place of the old value, which is left out.
        bytes.replaceSubrange(told - 2..<told + 9, with: [JournalValueTag.unknown])
        bytes[0] -= 10
        #expect(isRefused(bytes))
    }

    @Test("An origin that is not known is read as one of others") func origins() throws {
        let known = Self.transaction(nil, origin: .managed)
        let list = JournalTransactions(position: 1, count: 1, time: 7, list: [known])
        var bytes = encoded(.past(list))
        #expect(try read(bytes).content.transactions?.list?.first?.origin == .managed)
        let name = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("managed".utf8)) })
        bytes[name] = UInt8(ascii: "x")
        #expect(try read(bytes).content.transactions?.list?.first?.origin == .external)
    }

    // MARK: Values

    private func value(_ bytes: [UInt8]) throws -> SettingValue {
        try bytes.withUnsafeBytes { bytes in
            var reader = JournalValueReader(bytes)
            return try reader.readValue()
        }
    }

    @Test("A dictionary with a thousand entries or more reads back, and one with a key twice is refused")
    func manyEntries() throws {
        for count in [1_024, 1_025, 3_000] {
            let entries = (0..<count).map { ("k\($0)", SettingValue.bool($0 % 2 == 0)) }
            let flat = SettingValue.dictionary(SettingValue.Entries(uniqueKeysWithValues: entries))
            let wide = SettingValue.dictionary(
                SettingValue.Entries(
                    uniqueKeysWithValues: entries.map { ($0.0, .string(String(repeating: "x", count: 20))) }))
            for found in [flat, wide, .array([.array([.array([flat, wide])])])] {
                #expect(try value(found.bytes) == found)
            }
        }
        let entry: [UInt8] = [1, 0x61, JournalValueTag.null]
        let twice = [JournalValueTag.dictionary, 0x80, 0x10] + Array(repeating: entry, count: 2_048).joined()
        #expect(throws: JournalError.damaged) { try value(twice) }
    }

    @Test("A dictionary has no more entries than fit, and no more levels than are allowed") func entries() throws {
        #expect(throws: JournalError.damaged) { try value([JournalValueTag.dictionary, 2, 1, 0x61]) }
        var deep = SettingValue.dictionary([:])
        for _ in 1..<SettingValue.depthLimit { deep = .dictionary(["a": deep]) }
        #expect(try value(deep.bytes) == deep)
        #expect(throws: JournalError.damaged) { try value(SettingValue.dictionary(["a": deep]).bytes) }
    }

    @Test("Bytes of a value that has something behind it, or that is no tree, are refused") func publicBytes() throws {
        let value = SettingValue.dictionary(["a": .integer(1)])
        #expect(try SettingValue(bytes: value.bytes) == value)
        #expect(throws: FormatError.self) { try SettingValue(bytes: value.bytes + [0]) }
        #expect(try SettingTree(bytes: value.bytes).root == ["a": .integer(1)])
        #expect(throws: FormatError.self) { try SettingTree(bytes: SettingValue.null.bytes) }
    }

    // MARK: Searching

    @Test("Records are found behind damage that is shorter than a record, and behind intact ones of no sense")
    func search() throws {
        let first = JournalRecord(.values(Self.batch(["a": .integer(1)])), durableEnd: 0).encoded(at: Self.start)
        for size in [8, 16, 24] {
            var gap = first.next
            gap.offset += size
            let next = JournalRecord(.values(Self.batch(["b": .integer(2)])), durableEnd: gap.offset).encoded(at: gap)
            let bytes = first.bytes + [UInt8](repeating: 9, count: size) + next.bytes
            let scan = bytes.withUnsafeBytes { JournalScan.salvage($0, at: Self.start.offset, from: Self.start) }
            #expect(scan.records.map(\.offset) == [Self.start.offset, gap.offset])
            #expect(scan.damage == [JournalDamage(offset: first.next.offset, keys: nil)])
        }
        // A base without a version: its checksum is right.
        let senseless = JournalRecord(.base(JournalBase(tree: SettingTree(), mirrors: [])), durableEnd: 0)
            .encoded(at: JournalPosition(generation: 7, offset: first.next.offset + 8, chain: 1, chainOffset: 0))
        let last = JournalRecord(.values(Self.batch(["b": .integer(2)])), durableEnd: senseless.next.offset)
            .encoded(at: senseless.next)
        let bytes = first.bytes + [UInt8](repeating: 9, count: 8) + senseless.bytes + last.bytes
        let scan = bytes.withUnsafeBytes { JournalScan.salvage($0, at: Self.start.offset, from: Self.start) }
        #expect(scan.records.map(\.record.batch?.entries.first?.key) == ["a", "b"])
    }

    @Test("A journal that ends before its base has nothing") func noBase() {
        let header = JournalHeader(generation: 7, beginning: Self.token, base: 400)
        for bytes in [[], [UInt8](repeating: 9, count: 20)] {
            let scan = bytes.withUnsafeBytes { JournalScan.salvage(fromBase: $0, header) }
            #expect(scan.records.isEmpty && scan.end.offset == 400)
        }
    }
}
