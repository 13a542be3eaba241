import Foundation
import SettleTesting
import Testing

@testable import Settle

/// Format version 3 is read for ever.
@Suite struct JournalFormatTests {
    private typealias Fixture = JournalFormatFixture

    private let journal: [UInt8]

    init() throws {
        journal = Array(try #require(Data(base64Encoded: Fixture.journal, options: .ignoreUnknownCharacters)))
    }

    @Test("The journal of version 3 is never changed") func unchanged() {
        #expect(journal.count == 1560)
        #expect(FileVersion(of: journal).hash == 2290535793817422724)
    }

    @Test("Its header is read") func header() throws {
        #expect(try journal.withUnsafeBytes { try JournalHeader.decode($0) } == Fixture.header)
    }

    @Test("Its records are read, down to the bits") func records() throws {
        let (header, base) = (Fixture.header, Int(Fixture.header.base))
        let past = journal[..<base].withUnsafeBytes { bytes in
            JournalScan.scan(
                UnsafeRawBufferPointer(rebasing: bytes[JournalHeader.size...]), at: JournalHeader.size,
                from: .start(of: header.generation))
        }
        #expect(past.found == Fixture.past && past.tail == .clean && past.end.offset == base)
        let scan = journal[base...].withUnsafeBytes { JournalScan.salvage(fromBase: $0, header) }
        #expect(scan.found.map(\.spelling) == Fixture.records.map(\.spelling))
        #expect(scan.tail == .clean && scan.damage.isEmpty && scan.end.offset == journal.count)
    }

    @Test("Its values are in force, and it knows what the readable file has") func values() throws {
        let scan = journal[Int(Fixture.header.base)...].withUnsafeBytes {
            JournalScan.salvage(fromBase: $0, Fixture.header)
        }
        let replay = JournalReplay(scan.records)
        #expect(replay.hasBase && replay.tree == Fixture.tree)
        let version = FileVersion(of: Array(Fixture.file.utf8))
        #expect(
            replay.state.mirrors.map(\.version) == [
                version, FileVersion(hash: 4, size: 40), FileVersion(hash: 5, size: 50),
            ])
        #expect(replay.state.mirror(version)?.difference.mirror(of: replay.tree) == Fixture.mirror)
        #expect(replay.state.kept.values == ["g.x": [.string("before"), .null]])
        #expect(replay.state.history?.secrets == ["g.secret", "token"])
    }

    @Test("A record of today has the same bytes") func written() {
        var position = JournalPosition.start(of: Fixture.header.generation)
        var bytes = Fixture.header.encoded
        for record in Fixture.past + Fixture.records {
            let (next, end) = record.encoded(at: position)
            bytes += next
            position = end
        }
        #expect(bytes == journal, "\(Data(bytes).base64EncodedString(options: .lineLength76Characters))")
    }

    @Test("A process opens it, and has all values and the past") func opened() throws {
        let fixture = try FileStorageFixture()
        try fixture.write(Fixture.file)
        let place = fixture.folder.appending(path: ".settings.json.journal")
        try Data(journal).write(to: place)
        let storage = FileStorage(at: fixture.file, calls: fixture.calls)
        let contents = try storage.load()
        #expect(contents.tree == Fixture.tree)
        // The file of state that the journal knows of is not there, and the journal has all of it.
        if case .recovered(let sentence, isComplete: true) = contents.outcome {
            #expect(sentence.contains("settings.state.json” has been removed. Its values are in the journal."))
        } else {
            Issue.record("\(contents.outcome)")
        }
        #expect(contents.token?.position == 42)
        let records = try storage.records(before: nil, limit: 100)
        #expect(records.map(\.token.position) == [42, 41, 40, 37])
        #expect(Array(try Data(contentsOf: place)) == journal)
    }
}
