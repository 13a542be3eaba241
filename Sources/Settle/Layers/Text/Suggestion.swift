/// The known word that a user may have meant.
package enum Suggestion {
    /// Returns the nearest word, if it is near enough to be a misspelling.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let typed = Array(word.lowercased().unicodeScalars)
        let limit = max(1, typed.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in known {
            let letters = Array(candidate.lowercased().unicodeScalars)
            // Each letter more or less is a difference.
            guard abs(letters.count - typed.count) <= limit else { continue }
            let distance = distance(typed, letters)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Returns a question, such as ` Did you mean “read”?`.
    package static func question(_ word: String?) -> String { word.map { " Did you mean “\($0)”?" } ?? "" }

    /// Returns the number of letters to insert, remove, replace or swap with their neighbour.
    private static func distance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
        // Longer words are not misspellings of anything.
        guard first.count <= 256, second.count <= 256 else { return .max }
        var (before, previous) = ([Int](), Array(0...second.count))
        for (row, left) in first.enumerated() {
            var current = [row + 1]
            for (column, right) in second.enumerated() {
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1, previous[column] + (left == right ? 0 : 1))
                if row > 0, column > 0, left == second[column - 1], first[row - 1] == right {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, previous) = (previous, current)
        }
        return previous[second.count]
    }
}
