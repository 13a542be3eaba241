import Foundation
import Settle
import SettleInterchange
import SettleTesting
import Testing

/// Archives written by hand from the format, what is wrong with others, and mutants.
@Suite(.timeLimit(.minutes(10))) struct ArchiveFormTests: WritesArchives {
    @Test("The older spellings of texts, numbers and collections") func olderSpellings() throws {
        #expect(
            try read(object(2, "<key>NS.string</key><string>$null</string>"), described("NSMutableString", "NSString"))
                == .string("$null", isMutable: true))
        #expect(
            try read(object(2, "<key>NS.bytes</key><data>Wm/Dqw==</data>"), described("NSString")) == .string("Zoë"))
        #expect(
            try read(object(2, "<key>NS.intval</key><integer>4</integer>"), described("NSNumber")) == .integer(4))
        #expect(try read(object(2, "<key>NS.dblval</key><real>4.5</real>"), described("NSNumber")) == .real(4.5))
        #expect(try read(object(2, "<key>NS.boolval</key><true/>"), described("NSNumber")) == .bool(true))
        #expect(
            try read(object(2, "<key>NS.data</key>\(reference(3))"), described("NSData"), "<data>AQ==</data>")
                == .data(Data([1])))
        #expect(
            try read(
                object(2, "<key>NS.object.0</key>\(reference(3))<key>NS.object.1</key>\(reference(0))"),
                described("NSArray"), "<string>x</string>") == .array([.string("x"), .null]))
        #expect(
            try read(
                object(2, "<key>NS.key.0</key>\(reference(3))<key>NS.object.0</key>\(reference(3))"),
                described("NSDictionary"), "<string>x</string>")
                == .dictionary([ArchivedEntry(key: .string("x"), value: .string("x"))]))
        // 12.5, in groups of 16 bits with the higher byte first.
        let decimal =
            "<key>NS.mantissa</key><data>AH0AAAAAAAAAAAAAAAAAAA==</data><key>NS.exponent</key><integer>-1</integer>"
            + "<key>NS.length</key><integer>1</integer><key>NS.negative</key><true/><key>NS.mantissa.bo</key>"
            + "<integer>2</integer><key>NS.compact</key><true/>"
        #expect(try read(object(2, decimal), described("NSDecimalNumber", "NSNumber")) == .real(-12.5))
    }

    @Test(
        "A number is read again as the same, whether it is one of the property list or a decimal number",
        arguments: [
            "16645372298840277980283706561650", "10000000000000000000", "18446744073709551620", "-9223372036854775810",
            "340282366920938463463374607431768211450", "1\(String(repeating: "0", count: 44))",
            "170141183460469231731687303715884105728",
        ])
    func numbers(_ literal: String) throws {
        let key = "<key>NS.keys</key><array>\(reference(3))</array><key>NS.objects</key><array>\(reference(3))</array>"
        let archive = try KeyedArchive(
            archive([object(2, key), described("NSDictionary"), "<integer>\(literal)</integer>"]))
        // Decimal numbers have up to 38 digits.
        guard let data = try? archive.data() else {
            #expect(literal.count > 38)
            return
        }
        #expect(try KeyedArchive(data) == archive)
    }

    @Test("A decimal number has one spelling, with or without zeros at its end") func decimalSpellings() throws {
        // 125 × 10 and 1250, and 1250 × 10⁻³ and 125 × 10⁻².
        for (mantissa, length, exponent, value) in [
            ("fQA=", 1, 1, ArchivedValue.integer(1250)), ("4gQ=", 1, 0, .integer(1250)), ("4gQ=", 1, -3, .real(1.25)),
            ("fQA=", 1, -2, .real(1.25)), ("AQA=", 1, 30, .number("1\(String(repeating: "0", count: 30))")),
        ] {
            let decimal =
                "<key>NS.mantissa</key><data>\(mantissa)</data><key>NS.exponent</key><integer>\(exponent)</integer>"
                + "<key>NS.length</key><integer>\(length)</integer><key>NS.negative</key><false/>"
                + "<key>NS.mantissa.bo</key><integer>1</integer><key>NS.compact</key><true/>"
            let archive = try KeyedArchive(archive([object(2, decimal), described("NSDecimalNumber", "NSNumber")]))
            #expect(archive.root == value)
            #expect(try KeyedArchive(archive.data()) == archive)
        }
    }

    @Test("Keys of the program that begin with a dollar sign, and values without a key") func dollarKeys() throws {
        let fields = "<key>$$class</key><integer>1</integer><key>$0</key>\(reference(3))<key>a</key><array/>"
        let value = try read(object(2, fields), described("Odd"), "<string>x</string>")
        guard case .object(let odd)? = value else {
            Issue.record("\(String(describing: value))")
            return
        }
        #expect(odd.fields["$class"] == .integer(1) && odd.fields["$0"] == .string("x") && odd.fields.all.count == 3)
        var again = KeyedArchive(root: .object(odd))
        again.top["version"] = .integer(2)
        #expect(try KeyedArchive(again.data()).root == .object(odd))
        #expect(try KeyedArchive(again.data(as: .xml)) == again)
    }

    @Test("All objects of a class share its description, and one that derives from too many others is refused")
    func longDescriptions() throws {
        func people(_ superclasses: Int) -> Data {
            let names = ["Person"] + (0..<superclasses).map { "Base\($0)" }
            let type =
                "<dict><key>$classname</key><string>Person</string><key>$classes</key><array>"
                + names.map { "<string>\($0)</string>" }.joined() + "</array></dict>"
            let list = (3..<1_003).map(reference).joined()
            let person = object(2, "<key>age</key><integer>3</integer>")
            return archive(["<array>\(list)</array>", type] + Array(repeating: person, count: 1_000))
        }
        guard case .array(let read, _)? = try KeyedArchive(people(128)).root, case .object(let last)? = read.last else {
            Issue.record("It is no list of objects.")
            return
        }
        #expect(read.count == 1_000 && last.superclasses.count == 128 && last.superclasses.first == "Base0")
        let error = #expect(throws: ArchiveError.self) { try KeyedArchive(people(129)) }
        #expect(error?.code == .limit)
    }

    @Test("A subclass of a collection keeps what it has in addition") func subclasses() throws {
        let names = described("Playlist", "NSArray", "NSObject")
        let list = "<key>NS.objects</key><array>\(reference(3))</array>"
        #expect(try read(object(2, list), names, "<string>x</string>") == .array([.string("x")]))
        let value = try read(object(2, list + "<key>title</key>\(reference(3))"), names, "<string>x</string>")
        guard case .object(let object)? = value else {
            Issue.record("\(String(describing: value))")
            return
        }
        #expect(object.className == "Playlist" && object.fields["title"] == .string("x"))
        #expect(object.fields["NS.objects"] == .array([.string("x")]))
        #expect(try KeyedArchive(KeyedArchive(root: .object(object)).data()).root == .object(object))
        // Also under a key that begins with a dollar sign.
        guard case .object(let odd)? = try read(self.object(2, list + "<key>$$x</key><true/>"), names, "<true/>") else {
            Issue.record("What it has in addition is lost.")
            return
        }
        #expect(odd.fields["$x"] == .bool(true))
    }

    @Test("What is no archive, of another version or damaged is refused with a sentence") func refused() throws {
        func code(_ data: Data) -> ArchiveError.Code? {
            do throws(ArchiveError) {
                _ = try KeyedArchive(data)
                return nil
            } catch {
                #expect(error.description.hasSuffix("."))
                return error.code
            }
        }
        #expect(code(Data()) == .notAnArchive && code(Data("{}".utf8)) == .notAnArchive)
        #expect(code(Data("<plist><dict/></plist>".utf8)) == .notAnArchive)
        #expect(code(Data([4, 11]) + Data("streamtyped".utf8) + Data([0x81, 0xE8, 3])) == .typedStream)
        func edited(_ old: String, _ new: String) -> Data {
            Data(String(decoding: archive(["<true/>"]), as: UTF8.self).replacing(old, with: new).utf8)
        }
        #expect(code(edited("100000", "100001")) == .unknownVersion)
        #expect(code(edited("NSKeyedArchiver", "Other")) == .unknownVersion)
        #expect(code(edited("<string>$null</string>", "")) == .damaged)
        #expect(code(archive([object(7, "")])) == .damaged)
        #expect(code(archive([reference(9)], top: "<key>root</key>\(reference(5))")) == .damaged)
        #expect(code(archive([object(2, "<key>NS.time</key><real>nan</real>"), described("NSDate")])) == .damaged)
        #expect(
            code(archive([object(2, "<key>NS.uuidbytes</key><data>AQ==</data>"), described("NSUUID")])) == .damaged)
        #expect(code(archive([object(2, "<key>$0</key><true/><key>$$0</key><true/>"), described("Odd")])) == .damaged)
        #expect(
            code(
                archive([
                    object(2, "<key>NS.keys</key><array>\(reference(1))</array><key>NS.objects</key><array/>"),
                    described("NSDictionary"),
                ])) == .damaged)
    }

    @Test("An archive that nests too deep is refused, but not one whose shared objects refer to each other")
    func depth() throws {
        let nested = { (next: Int) in
            self.object(2, "<key>NS.objects</key><array>\(self.reference(next))</array>")
        }
        let deep = [nested(3), described("NSArray")] + (4...200).map(nested) + ["<true/>"]
        #expect(throws: ArchiveError.self) { try KeyedArchive(archive(deep)) }
        let shallow = [nested(3), described("NSArray")] + (4...100).map(nested) + ["<true/>"]
        #expect(try KeyedArchive(archive(shallow)).root != nil)
        // Each object has arrays in itself, around the next object.
        let plain = { (next: Int) in
            let arrays = (String(repeating: "<array>", count: 120), String(repeating: "</array>", count: 120))
            return self.object(2, "<key>a</key>\(arrays.0)\(self.reference(next))\(arrays.1)")
        }
        let both = [plain(3), described("Odd")] + (4...120).map(plain) + ["<true/>"]
        #expect(throws: ArchiveError.self) { try KeyedArchive(archive(both)) }
        // Each object has the one before, and the list has all of them.
        let chain = { (last: Int) in
            let list = "<key>NS.objects</key><array>\((3...last).map(self.reference).joined())</array>"
            return self.archive(
                [self.object(2, list), self.described("NSArray"), "<array/>"]
                    + (3..<last).map { "<array>\(self.reference($0))</array>" })
        }
        let short = try KeyedArchive(chain(129))
        #expect(try !short.isDeep && short.contents().findings.isEmpty)
        // As settings, which share nothing, and for classes, which read what they refer to, it is as deep as it looks.
        let long = try KeyedArchive(chain(130))
        #expect(try KeyedArchive(long.data()) == long && long.isDeep)
        let error = #expect(throws: ArchiveError.self) { try long.contents() }
        #expect(error?.code == .limit && error?.path == "root.127.0")
        // Where the file is at fault, it is named as such.
        let damaged = #expect(throws: ArchiveError.self) {
            try KeyedArchive(archive([object(2, "<key>a</key><array>\(reference(9))</array>"), described("Odd")]))
        }
        #expect(damaged?.code == .damaged && damaged?.path == "root.a.0")
    }

    @Test("Random graphs are read as they were written, by both forms") func roundTrips() throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            // What is read has the references in order, and only those of objects with several.
            let archive = try KeyedArchive(random.archive(depth: 4).data())
            #expect(try KeyedArchive(archive.data()) == archive, "seed \(random.seed)")
            #expect(try KeyedArchive(archive.data(as: .xml)) == archive, "seed \(random.seed)")
        }
    }

    @Test("Mutants are read or refused, and never end the program") func mutants() throws {
        var random = SeededGenerator()
        var refused = 0
        for round in 0..<60 {
            let data = try random.archive(depth: 3).data(as: round % 2 == 0 ? .binary : .xml)
            for _ in 0..<100 {
                var bytes = [UInt8](data)
                for _ in 0...Int(random.next() % 3) {
                    let index = Int(random.next() % UInt64(bytes.count))
                    switch random.next() % 3 {
                    case 0: bytes[index] ^= 1 << (random.next() % 8)
                    case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                    default: bytes.removeSubrange(index..<min(bytes.count, index + Int(random.next() % 4) + 1))
                    }
                    if bytes.isEmpty { bytes = [0] }
                }
                do throws(ArchiveError) {
                    let archive = try KeyedArchive(Data(bytes))
                    _ = try? archive.contents()
                    _ = try? archive.data()
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 1_000)
    }
}

extension SeededGenerator {
    /// An archive with three shared objects, which may refer to each other.
    fileprivate mutating func archive(depth: Int) -> KeyedArchive {
        let objects = (0..<3).map { _ in ArchivedValue.array(list(depth), isMutable: next() % 2 == 0) }
        return KeyedArchive(root: archived(depth: depth), sharedObjects: objects)
    }

    /// A value that an archive of ``archive(depth:)`` can hold.
    fileprivate mutating func archived(depth: Int) -> ArchivedValue {
        switch next() % (depth > 0 ? 16 : 9) {
        case 0: return .bool(next() % 2 == 0)
        case 1: return .integer(Int64(bitPattern: next()) >> (next() % 64))
        case 2: return .real(Double(Int64(bitPattern: next())) / 1_024)
        case 3: return .string(["", "a", "$null", "$class", "Zoë", "<&>", "a.b"][Int(next() % 7)])
        case 4: return .data(Data((0..<(next() % 5)).map { UInt8($0) }))
        case 5: return .date(Date(timeIntervalSinceReferenceDate: Double(next() % 1_000_000) / 8))
        case 6: return .uuid(UUID())
        case 7: return .url("a/b", base: next() % 2 == 0 ? nil : "https://example.com/")
        case 8: return .null
        case 9: return .array(list(depth), isMutable: next() % 2 == 0)
        case 10: return .set(list(depth), isMutable: next() % 2 == 0)
        case 11: return .orderedSet(list(depth), isMutable: next() % 2 == 0)
        case 12:
            let entries = list(depth).map { ArchivedEntry(key: archived(depth: 0), value: $0) }
            return .dictionary(entries, isMutable: next() % 2 == 0)
        case 13: return .reference(Int(next() % 3))
        case 14:
            let length = Int(next() % 400)
            return .string(String(repeating: "é", count: length), isMutable: next() % 2 == 0)
        default:
            var fields = ArchivedFields()
            for key in ["a", "$class", "NS.objects", "$0", "b c"].prefix(Int(next() % 6)) {
                let value = archived(depth: depth - 1)
                if case .null = value {
                    fields.set(value, isPrimitive: false, forKey: key)
                } else {
                    fields[key] = value
                }
            }
            return .object(ArchivedObject(className: "Some.Class\(next() % 3)", fields: fields))
        }
    }

    private mutating func list(_ depth: Int) -> [ArchivedValue] {
        (0..<(next() % 4)).map { _ in archived(depth: depth - 1) }
    }
}
