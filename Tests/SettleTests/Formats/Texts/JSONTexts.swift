/// JSON as people write it.
enum JSONTexts {
    static let all = values + additions + removals + comments + odd
}
