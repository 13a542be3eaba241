import Foundation

/// Reads the file over and over without Settle, as a user or another program would.
struct ReadingChild: ChildRole {
    var place: ChildPlace
    var milliseconds: Int

    func run(_ acknowledgements: AcknowledgementFile) async throws {
        let end = MonotonicTime.now() + UInt64(milliseconds) * 1_000_000
        var reads = 0
        var versions = 0
        var torn = 0
        var backwards = 0
        var unreadable = 0
        var last = 0
        while MonotonicTime.now() < end {
            reads += 1
            guard let (left, right) = try? pair() else {
                unreadable += 1
                continue
            }
            if left != right { torn += 1 }
            if left < last { backwards += 1 }
            if left != last { versions += 1 }
            last = left
        }
        acknowledgements.add("read", reads, versions, torn, backwards, unreadable)
    }

    private func pair() throws -> (Int, Int) {
        let data = try Data(contentsOf: URL(filePath: place.file))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard let left = object?["left"] as? Int, let right = object?["right"] as? Int else {
            throw TrialError("The pair is not in the file.")
        }
        return (left, right)
    }
}
