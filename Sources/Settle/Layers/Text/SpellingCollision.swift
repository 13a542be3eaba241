/// Two keys with the same spelling, so that neither can be meant.
struct SpellingCollision: Error, Equatable, CustomStringConvertible {
    /// The spelling, such as `APP_LOG_LEVEL` or `--log-level`.
    let spelling: String
    /// The two keys, sorted.
    let keys: [SettingKey]

    init(_ spelling: String, _ first: SettingKey, _ second: SettingKey) {
        self.spelling = spelling
        keys = [first, second].sorted()
    }

    var description: String {
        "\(spelling) could mean “\(keys[0])” or “\(keys[1])”. Rename one of the two."
    }
}
