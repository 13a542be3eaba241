/// XML property lists as people and tools write them.
enum XMLTexts {
    static let all = values + changes
}
