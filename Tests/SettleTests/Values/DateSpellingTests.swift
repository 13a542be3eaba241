import FoundationEssentials
import Settle
import SettleTesting
import Testing

/// How dates are spelled in formats without dates, and what is read as a date.
@Suite struct DateSpellingTests {
    private let codec = SettingCodec<Date>.standard

    private func spelling(of date: Date) throws -> SettingValue {
        let bytes = try JSONFormat().encode(SettingTree(["date": .date(date)]))
        return try #require(try JSONFormat().decode(bytes).root["date"])
    }

    private func date(_ text: String) throws -> Date {
        try codec.decode(.string(text))
    }

    @Test("Random dates within a century round-trip as exactly the same double", arguments: 0..<4)
    func randomDates(quarter: Int) throws {
        var random = SeededGenerator()
        let dates = (0..<5_000).map { round in
            let seconds = Double.random(in: -3.2e9...3.2e9, using: &random)
            // Some whole, some with few digits, some close to the start of 2001, most with all digits of a double.
            let interval =
                switch round % 5 {
                case 0: seconds.rounded()
                case 1: (seconds * 1000).rounded() / 1000
                case 2: seconds / 1e9
                default: seconds
                }
            return Date(timeIntervalSinceReferenceDate: interval)
        }
        let bytes = try JSONFormat().encode(SettingTree(["dates": .array(dates.map(SettingValue.date))]))
        guard case .array(let spellings)? = try JSONFormat().decode(bytes).root["dates"] else {
            Issue.record("The array is gone, seed \(random.seed)")
            return
        }
        #expect(spellings.count == dates.count)
        for (date, spelling) in zip(dates, spellings) {
            let read = try codec.decode(spelling)
            guard case .string = spelling, read == date else {
                Issue.record("\(date.timeIntervalSinceReferenceDate) is spelled \(spelling), seed \(random.seed)")
                return
            }
        }
    }

    @Test("Dates have as many fractional digits as they need")
    func shortest() throws {
        #expect(try spelling(of: Date(timeIntervalSince1970: 0)) == .string("1970-01-01T00:00:00Z"))
        #expect(try spelling(of: Date(timeIntervalSince1970: 1_700_000_000.5)) == .string("2023-11-14T22:13:20.5Z"))
        #expect(
            try spelling(of: Date(timeIntervalSinceReferenceDate: -0.001)) == .string("2000-12-31T23:59:59.999Z"))
        #expect(try spelling(of: .distantPast) == .string("0000-12-30T00:00:00Z"))
        #expect(try spelling(of: .distantFuture) == .string("4001-01-01T00:00:00Z"))
        #expect(try spelling(of: date("9999-12-31T23:59:59Z") + 1) == .integer(253_402_300_800))
        #expect(try spelling(of: date("0000-01-01T00:00:00Z") - 0.5) == .real(-62_167_219_200.5))
    }

    @Test("The smallest and the largest dates round-trip too")
    func extremes() throws {
        let intervals = [
            Double.leastNonzeroMagnitude, -.leastNonzeroMagnitude, 1e-30, -1e-30, .greatestFiniteMagnitude,
            -.greatestFiniteMagnitude, 9.2e18, 1e36, 1e38, -1.7e38,
        ]
        for interval in intervals {
            let date = Date(timeIntervalSinceReferenceDate: interval)
            #expect(try codec.decode(spelling(of: date)) == date, "\(interval)")
        }
    }

    @Test("The calendar is Gregorian throughout")
    func calendar() throws {
        let cases: [(String, Int)] = [
            ("2000-02-29T00:00:00Z", 951_782_400), ("1900-02-28T23:59:59Z", -2_203_891_201),
            ("1582-10-10T00:00:00Z", -12_219_724_800), ("0000-03-01T00:00:00Z", -62_162_035_200),
            ("2100-03-01T00:00:00Z", 4_107_542_400), ("1969-12-31T23:59:59Z", -1),
        ]
        for (text, seconds) in cases {
            #expect(try date(text) == Date(timeIntervalSince1970: Double(seconds)), "\(text)")
            #expect(try spelling(of: date(text)) == .string(text), "\(text)")
        }
    }

    @Test("Foundation spells the same dates the same way")
    func agreesWithFoundation() throws {
        var random = SeededGenerator()
        for _ in 0..<1_000 {
            let date = Date(
                timeIntervalSinceReferenceDate: Double(
                    Int.random(in: -12_000_000_000...250_000_000_000, using: &random)))
            #expect(try spelling(of: date) == .string(date.formatted(.iso8601)), "seed \(random.seed)")
        }
    }

    @Test("Dates of any size are spelled, as numbers beyond the year 9999") func anySize() throws {
        for exponent in 30..<1_020 as Range<Int> {
            for sign in [-1.0, 1.0] {
                let seconds = sign * Double(sign: .plus, exponent: exponent, significand: 1.3)
                for seconds in [seconds, seconds.nextUp] {
                    let date = Date(timeIntervalSinceReferenceDate: seconds)
                    #expect(try codec.decode(spelling(of: date)) == date, "\(seconds)")
                }
            }
        }
        // As days they are just below the largest number, counted from 2001, and above it, counted from 1970.
        let edge = Double(bitPattern: 0x44E5_1800_0000_0000)
        for bits in edge.bitPattern - 8...edge.bitPattern + 8 {
            _ = try spelling(of: Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
        }
    }

    @Test("Common spellings of dates are read")
    func otherSpellings() throws {
        let cases: [String] = [
            "2001-01-01T02:00:00+02:00", "2001-01-01t00:00:00z", "2001-01-01 00:00:00Z", "2001-01-01",
            "2001-01-01T00:00Z",
            "2000-12-31T19:30:00-0430", "2001-01-01T05:00:00.000+05", "2001-01-01T00:00:00-00:00",
        ]
        for text in cases {
            #expect(try date(text) == Date(timeIntervalSinceReferenceDate: 0), "\(text)")
        }
    }

    @Test("Invalid and ambiguous dates are refused")
    func refusals() {
        let cases: [String] = [
            "", "2001", "2001-1-1", "2001-13-01", "2001-00-01", "2001-02-29", "2001-04-31", "1900-02-29", "2001-01-00",
            "2001-01-01T", "2001-01-01T00:00:00", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z",
            "2001-01-01T00:00:60Z",
            "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00,5Z", "2001-01-01T00:00:00+2", "2001-01-01T00:00:00+24:00",
            "2001-01-01T00:00:00+02:60", "2001-01-01T00:00:00Z ", "20010101T000000Z", "2001-01-01T00:00:00ZZ",
            "+2001-01-01", "２001-01-01",
        ]
        for text in cases {
            #expect(throws: SettingCodingError.self, "\(text)") { try date(text) }
        }
    }
}
