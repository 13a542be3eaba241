import FoundationEssentials
import Settle
import Testing

@Suite struct BinaryPropertyListFormatTests {
    /// A file of objects that refer to each other by their index in the list.
    private func file(_ objects: [[UInt8]], root: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        let trailer = [0, 0, 0, 0, 0, 0, 1, 1].map(UInt8.init) + long(UInt8(objects.count)) + long(root) + long(table)
        return bytes + offsets + trailer
    }

    private func long(_ value: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, value] }

    private func value(_ object: [UInt8]) throws -> SettingValue? {
        try BinaryPropertyListFormat().decode(file([[0xD1, 1, 2], [0x51, 0x61], object])).root["a"]
    }

    private func failure(of bytes: [UInt8]) -> FormatError? {
        do {
            _ = try BinaryPropertyListFormat().decode(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("Values keep their kind")
    func kinds() throws {
        let cases: [SettingValue] = [
            .null, .bool(true), .bool(false), .integer(0), .integer(255), .integer(256), .integer(65_536),
            .integer(4_294_967_296), .integer(-1), .integer(.min), .integer(.max), .number("18446744073709551615"),
            .number("-170141183460469231731687303715884105728"), .real(1), .real(-0.1), .real(.infinity), .string(""),
            .string("abc"), .string("é😀\0"), .string(String(repeating: "x", count: 70_000)), .data(Data()),
            .data(Data(repeating: 7, count: 300)), .date(Date(timeIntervalSinceReferenceDate: 0.1)), .array([]),
            .array(Array(repeating: .integer(1), count: 20)), .dictionary(["a": .dictionary(["b": .null])]),
        ]
        for value in cases {
            let tree = SettingTree(["key": value])
            let bytes = try BinaryPropertyListFormat().encode(tree)
            #expect(try BinaryPropertyListFormat().decode(bytes) == tree)
            #expect(FileFormat.detect(bytes) == .propertyListBinary)
        }
    }

    @Test("Objects are read in the encodings of other writers")
    func otherWriters() throws {
        #expect(try value([0x00]) == .null)
        #expect(try value([0x22, 0x3F, 0xC0, 0, 0]) == .real(1.5))
        #expect(try value([0x14] + Array(repeating: 0, count: 15) + [9]) == .integer(9))
        #expect(try value([0x5F, 0x10, 1, 0x62]) == .string("b"))
        #expect(try value([0x62, 0xD8, 0x3D, 0xDE, 0x00]) == .string("😀"))
    }

    @Test("An invalid object is refused")
    func refusedObjects() throws {
        let cases: [[UInt8]] = [
            [0x01], [0x0F], [0x15], [0x21, 0, 0], [0x24], [0x32, 0, 0, 0, 0], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
            [0x33, 0x40], [0x51, 0x80], [0x52, 0x61], [0x61, 0xD8, 0x00], [0x5F], [0x5F, 0x50], [0x5F, 0x10],
            [0x80, 1],
            [0x5F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xA1, 9], [0xC1, 1], [0xD1, 2, 1], [0xD2, 1, 1, 1, 1], [0x70], [0xF0],
        ]
        for object in cases {
            // The object comes last, so that no bytes follow which could complete it.
            #expect(failure(of: file([[0xD1, 1, 2], [0x51, 0x61], object])) != nil, "\(object)")
        }
    }

    @Test("An object that contains itself is refused")
    func selfReferences() {
        #expect(failure(of: file([[0xD1, 1, 0], [0x51, 0x61]]))?.description == "Byte 8: An object contains itself.")
        #expect(failure(of: file([[0xD1, 1, 2], [0x51, 0x61], [0xA1, 3], [0xA1, 2]])) != nil)
    }

    @Test("References that expand to billions of values are refused")
    func unfolding() {
        let keys: [[UInt8]] = [[0x51, 0x61]]
        let levels = (0..<20).map { level -> [UInt8] in [0xA4] + Array(repeating: UInt8(level + 3), count: 4) }
        let bytes = file([[0xD1, 1, 2]] + keys + levels + [[0x09]])
        #expect(failure(of: bytes)?.rule == .limit)
    }

    @Test("A string that is referenced too often is refused")
    func sharedStrings() {
        let long: [UInt8] = [0x5F, 0x11, 0x7F, 0xFF] + Array(repeating: 0x61, count: 0x7FFF)
        let elements: [UInt8] = [0xAF, 0x11, 0x40, 0x00] + Array(repeating: 3, count: 0x4000)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in [[0xD1, 1, 2], [0x51, 0x61], elements, long] {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
        bytes += [0, 0, 0, 0, 0, 0, 2, 1] + self.long(4) + self.long(0)
        bytes += [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
        #expect(failure(of: bytes)?.rule == .limit)
    }

    @Test("A trailer that does not fit its file is refused")
    func trailers() throws {
        let good = try BinaryPropertyListFormat().encode(SettingTree(["a": .integer(1)]))
        #expect(failure(of: good) == nil)
        for length in 0..<good.count { #expect(failure(of: Array(good.prefix(length))) != nil) }
        for position in (good.count - 26)..<good.count {
            for byte: UInt8 in [0x7F, 0xFF] {
                var bad = good
                bad[position] = byte
                #expect(failure(of: bad) != nil, "byte \(position) set to \(byte)")
            }
        }
    }

    @Test("The reader reads the deepest nesting that the writer accepts")
    func depth() throws {
        var tree = SettingTree(["a": .array([])])
        for _ in 0..<126 { tree = SettingTree(["a": .dictionary(tree.root)]) }
        let bytes = try BinaryPropertyListFormat().encode(tree)
        #expect(try BinaryPropertyListFormat().decode(bytes) == tree)
        #expect {
            _ = try BinaryPropertyListFormat().encode(SettingTree(["b": .dictionary(tree.root)]))
        } throws: {
            ($0 as? FormatError)?.rule == .limit
        }
        let arrays = (0..<128).map { level -> [UInt8] in [0xA1, UInt8(level + 3)] }
        // One byte can't spell the offsets of 128 arrays, so the file has fewer.
        #expect(failure(of: file([[0xD1, 1, 2], [0x51, 0x61]] + arrays.prefix(100) + [[0xA0]])) == nil)
    }

    @Test("Large containers are read at any depth") func largeContainers() throws {
        let numbers = (0..<3_000).map { SettingValue.integer(Int64($0)) }
        var entries = SettingValue.Entries()
        for (number, value) in numbers.enumerated() { entries["name \(number)"] = value }
        var tree = SettingTree()
        for key in ["a", "a.b", "a.b.c"] {
            tree["\(key).entries"] = .dictionary(entries)
            tree["\(key).elements"] = .array(numbers)
        }
        let bytes = try BinaryPropertyListFormat().encode(tree)
        #expect(try BinaryPropertyListFormat().decode(bytes) == tree)
    }

    @Test("A value that a property list can't spell is an error that names its key")
    func unsupportedValues() {
        let noTime = Date(timeIntervalSinceReferenceDate: .infinity)
        for value in [.number("1e40"), .number("0.12345678901234567890"), .date(noTime)]
            as [SettingValue]
        {
            #expect {
                _ = try BinaryPropertyListFormat().encode(SettingTree(["a": .dictionary(["b": value])]))
            } throws: {
                "\($0)".hasPrefix("Key “a.b”: ")
            }
        }
    }

    @Test("Equal strings with different bytes stay distinct")
    func canonicalEquivalence() throws {
        let tree = SettingTree(["a": .array([.string("é"), .string("e\u{301}")])])
        let read = try BinaryPropertyListFormat().decode(try BinaryPropertyListFormat().encode(tree))
        guard case .array(let elements)? = read.root["a"], case .string(let second) = elements[1] else {
            Issue.record("The array is gone.")
            return
        }
        #expect(Array(second.unicodeScalars) == ["e", "\u{301}"])
    }

    @Test("Foundation's coders and Settle's read each other's files")
    func agreesWithFoundation() throws {
        let sample = FormatSample()
        let codec = SettingCodec<FormatSample>.standard
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let theirs = try BinaryPropertyListFormat().decode(Array(try encoder.encode(sample)))
        #expect(try codec.decode(.dictionary(theirs.root)) == sample)

        guard case .dictionary(let root) = try codec.encode(sample) else {
            Issue.record("A structure must become a dictionary.")
            return
        }
        let ours = Data(try BinaryPropertyListFormat().encode(SettingTree(root)))
        #expect(try PropertyListDecoder().decode(FormatSample.self, from: ours) == sample)
    }
}
