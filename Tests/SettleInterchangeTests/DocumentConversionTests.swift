import FoundationEssentials
import Settle
import SettleInterchange
import SettleTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct DocumentConversionTests {
    private func losses(
        _ value: SettingValue, _ format: DocumentConversion.Format
    ) throws -> (kinds: [DocumentConversion.Loss.Kind], value: SettingValue) {
        let conversion = try DocumentConversion(of: .dictionary(["a.b": .array([value])]), to: format)
        for loss in conversion.losses { #expect(loss.path == ["a.b", "0"]) }
        let read = try DocumentConversion.read(conversion.data, as: format).value
        guard case .dictionary(let entries) = read, case .array(let elements)? = entries["a.b"] else {
            return ([], read)
        }
        return (conversion.losses.map(\.kind), try #require(elements.first))
    }

    @Test("Each loss is named, and leaves something that can be used")
    func kinds() throws {
        let half = SettingValue.date(Date(timeIntervalSinceReferenceDate: -0.5))
        let whole = SettingValue.date(Date(timeIntervalSinceReferenceDate: -1))
        let far = SettingValue.date(Date(timeIntervalSinceReferenceDate: 1e15))
        let never = SettingValue.date(Date(timeIntervalSinceReferenceDate: .infinity))
        let huge = "18446744073709551616"
        let precise = "0.1000000000000000055"
        let xml = DocumentConversion.Format.propertyList(.xml)
        let binary = DocumentConversion.Format.propertyList(.binary)
        let old = DocumentConversion.Format.propertyList(.oldText)
        let cases: [(SettingValue, DocumentConversion.Format, DocumentConversion.Loss.Kind?, SettingValue)] = [
            (.null, .json, nil, .null), (.null, xml, .null, .string("")), (.null, binary, .null, .string("")),
            (.null, old, .null, .string("")), (.bool(true), old, .type, .string("1")),
            (.integer(-5), old, .type, .string("-5")), (.real(0.5), old, .type, .string("0.5")),
            (.real(.infinity), .json, .notFinite, .string("infinity")),
            (.real(-.infinity), .json, .notFinite, .string("-infinity")),
            (.real(.nan), .json, .notFinite, .string("nan")),
            (.real(.infinity), xml, nil, .real(.infinity)), (.real(.nan), xml, nil, .real(.nan)),
            (.real(Double(nan: 5, signaling: false)), xml, .nanBits, .real(.nan)),
            (.data(Data([1])), .json, .data, .string("AQ==")), (.data(Data([1])), old, nil, .data(Data([1]))),
            (half, .json, .date, .string("2000-12-31T23:59:59.5Z")), (half, xml, .fractionOfSecond, whole),
            (half, binary, nil, half), (half, old, .type, .string("2000-12-31T23:59:59.5Z")), (whole, xml, nil, whole),
            (far, xml, .date, .string("1000000978307200")), (far, .json, .date, .string("1000000978307200")),
            (far, binary, nil, far), (never, binary, .date, .string("inf")), (never, .json, .date, .string("inf")),
            (.number(huge), .json, nil, .number(huge)), (.number(huge), xml, .largeInteger, .string(huge)),
            (.number(huge), binary, .largeInteger, .string(huge)), (.number(huge), old, .type, .string(huge)),
            (.number("18446744073709551615"), xml, nil, .number("18446744073709551615")),
            (.number("18446744073709551615"), binary, nil, .number("18446744073709551615")),
            (.number("-9223372036854775809"), xml, .largeInteger, .string("-9223372036854775809")),
            (.number(precise), .json, nil, .number(precise)), (.number(precise), binary, .digits, .real(0.1)),
            (.number("1e400"), xml, .number, .string("1e400")), (.number("x"), .json, .number, .string("x")),
            (.number("5"), binary, nil, .integer(5)), (.string("$null"), xml, nil, .string("$null")),
        ]
        for (value, format, kind, expected) in cases {
            let (kinds, found) = try losses(value, format)
            #expect(kinds == (kind.map { [$0] } ?? []), "\(value) in \(format)")
            #expect(found.differences(from: expected) == [], "\(value) in \(format)")
        }
    }

    @Test("A loss names its place, and quotes no value")
    func descriptions() throws {
        let value = SettingValue.dictionary(["a.b": .array([.bool(true), .null]), "c": .null, "": .string("é")])
        let conversion = try DocumentConversion(of: value, to: .propertyList(.xml))
        #expect(
            conversion.losses.map(\.description) == [
                #"Key “a\.b.1”: Null has been left out, or has become an empty text in an array."#,
                #"Key “c”: Null has been left out, or has become an empty text in an array."#,
            ])
        let read = try PropertyList.read(conversion.data).list.value
        #expect(read == .dictionary(["a.b": .array([.bool(true), .string("")]), "": .string("é")]))
        let root = try DocumentConversion(of: .null, to: .propertyList(.binary))
        #expect(root.losses.map(\.path) == [[]])
        #expect(root.losses.map(\.description) == ["Null has been left out, or has become an empty text in an array."])
    }

    @Test(
        "A converted value differs exactly at the places of the losses",
        arguments: DocumentConversion.Format.allCases)
    func random(format: DocumentConversion.Format) throws {
        var values = InterchangeValues(random: SeededGenerator())
        var lossless = 0
        for _ in 0..<3_000 {
            let value = values.next()
            let conversion = try DocumentConversion(of: value, to: format)
            let (read, found) = try DocumentConversion.read(conversion.data, as: format)
            let places = conversion.losses.map(\.path)
            #expect(read.differences(from: value.withPlainNumbers) == Set(places), "\(values.seed)")
            #expect(Set(places).count == places.count && found == format)
            lossless += places.isEmpty ? 1 : 0
            // What the format holds already loses nothing more.
            let again = try DocumentConversion(of: conversion.data, from: format, to: format)
            #expect(again.losses == [] && again.data == conversion.data, "\(values.seed)")
        }
        #expect(lossless > 200)
    }

    @Test("Documents keep all that both formats hold, through any of them")
    func throughAll() throws {
        var values = InterchangeValues(random: SeededGenerator(), isPlain: true)
        for _ in 0..<300 {
            let value = values.next()
            var source = DocumentConversion.Format.propertyList(.xml)
            var data = try DocumentConversion(of: value, to: source).data
            for target in DocumentConversion.Format.allCases.reversed() {
                let conversion = try DocumentConversion(of: data, from: source, to: target)
                #expect(conversion.losses.allSatisfy { target == .json && $0.kind == .data })
                if conversion.losses.isEmpty { (data, source) = (conversion.data, target) }
            }
            let read = try DocumentConversion.read(data, as: source).value
            #expect(read.differences(from: value) == [], "\(values.seed)")
        }
    }

    @Test("The format of a document is found out")
    func detection() throws {
        let xml = "<?xml version=\"1.0\"?><plist><true/></plist>"
        let cases: [(String, DocumentConversion.Format, SettingValue)] = [
            ("{}", .json, .dictionary([:])), (" [1]", .json, .array([.integer(1)])), ("\"a\"", .json, .string("a")),
            ("5", .json, .integer(5)), ("\u{FEFF}null", .json, .null), (xml, .propertyList(.xml), .bool(true)),
            ("{a = 1;}", .propertyList(.oldText), .dictionary(["a": .string("1")])),
            ("(a)", .propertyList(.oldText), .array([.string("a")])),
            ("\"a\" = \"b\";", .propertyList(.oldText), .dictionary(["a": .string("b")])),
            ("a = \"b\";", .propertyList(.oldText), .dictionary(["a": .string("b")])),
            ("// c\na = \"b\";", .propertyList(.oldText), .dictionary(["a": .string("b")])),
            ("<00>", .propertyList(.oldText), .data(Data([0]))), ("<*I5>", .propertyList(.oldText), .integer(5)),
        ]
        for (text, format, value) in cases {
            let (found, foundFormat) = try DocumentConversion.read(Data(text.utf8))
            #expect(found == value, "\(text)")
            #expect(foundFormat == format, "\(text)")
        }
        let binary = try PropertyList(.bool(true)).data(as: .binary)
        #expect(try DocumentConversion.read(binary).format == .propertyList(.binary))
        let utf16 = "[1]".utf16Bytes(isBigEndian: false)
        #expect(try DocumentConversion.read(Data(utf16)).value == .array([.integer(1)]))
    }

    @Test("The error of a document is that of the format that explains more of it")
    func errors() {
        let cases: [(String, DocumentConversion.Format?, String)] = [
            ("", nil, "Line 1, column 1: The text is empty; a missing value is null."),
            ("{\"a\": 1,}", nil, "Line 1, column 8: A trailing comma is not allowed here."),
            ("{\"a\" = 1}", nil, "Line 1, column 9: A semicolon is missing after this value."),
            ("tru", nil, "Line 1, column 1: A value is expected here."),
            ("{a = 1;}", .json, "Line 1, column 2: A key in quotation marks is expected here."),
            ("{}", .propertyList(.xml), "The document has another format: old-style property list."),
        ]
        for (text, format, expected) in cases {
            let error = failure { () throws(FormatError) in
                _ = try DocumentConversion.read(Data(text.utf8), as: format)
            }
            #expect(error?.description == expected, "\(text)")
        }
    }

    @Test("Too many levels are an error in every format", arguments: DocumentConversion.Format.allCases)
    func depth(format: DocumentConversion.Format) throws {
        var value = SettingValue.array([])
        for _ in 0..<127 { value = .array([value]) }
        #expect(try DocumentConversion.read(DocumentConversion(of: value, to: format).data, as: format).value == value)
        value = .array([value])
        let deep = value
        #expect(failure { () throws(FormatError) in _ = try DocumentConversion(of: deep, to: format) }?.rule == .limit)
    }
}
