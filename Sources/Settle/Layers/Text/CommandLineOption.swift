/// A key that arguments may set.
struct CommandLineOption: Sendable, Equatable {
    enum Kind: Sendable, Hashable {
        /// Takes a value.
        case value
        /// For a `Bool` setting: needs no value, and has a negative form.
        case flag
        /// For an array or a set: each time the option is given, it adds elements.
        case list
        /// Never taken: the arguments of a process are visible to all users of the machine.
        case secret
    }

    let key: SettingKey
    let kind: Kind

    init(_ key: SettingKey, _ kind: Kind = .value) {
        self.key = key
        self.kind = kind
    }
}
