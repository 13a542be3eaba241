/// The values that the arguments of a program give to settings.
///
/// Each can be written in three ways:
///
/// - `-key value`, where the value may be an old-style property list, as in programs for Apple platforms;
/// - `--key value` and `--key=value`, where the value is plain text;
/// - `--flag`, `--no-flag`, `--flag=false` and `--flag false` for settings of type `Bool`: an argument after a flag is
///   its value only if it is `true` or `false`.
///
/// The argument after an option is its value unless it looks like an option itself: a hyphen and a letter, or two
/// hyphens. The argument `--` ends the options.
///
/// An array or a set that is given several times has the elements of all, in order: `--tag a --tag b`. For any other
/// key the last value counts, and a problem reports that.
struct CommandLineValues: Sendable, Equatable {
    /// Strings, or arrays and dictionaries of strings; and data, if a property list has any.
    private(set) var tree = SettingTree()
    /// The source of the value of each key, such as ``argument 3, `--port` ``.
    private(set) var places: [SettingKey: String] = [:]
    /// The arguments that set nothing here, in order, for the program's own parser, including `--`.
    private(set) var remaining: [String] = []
    /// Sentences about options that can't be used. They never quote a value.
    private(set) var problems: [String] = []

    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - options: The keys that may be set. Arguments for others remain.
    init(_ arguments: [String], options: CommandLineOptions) {
        var (position, lists) = (0, [SettingKey: [SettingValue]]())
        while position < arguments.count, arguments[position] != "--" {
            position = take(arguments, at: position, options, &lists)
        }
        remaining += arguments[position...]
        for (key, values) in lists where values.count > 1 {
            tree[key] = .array(values.flatMap(TextCandidates.elements))
        }
    }

    /// - Parameter lists: The elements of each array or set so far.
    /// - Returns: The position of the next argument.
    private mutating func take(
        _ arguments: [String], at position: Int, _ options: CommandLineOptions,
        _ lists: inout [SettingKey: [SettingValue]]
    ) -> Int {
        let next = position + 1 < arguments.count && !arguments[position + 1].isOption ? arguments[position + 1] : nil
        let token = OptionToken(arguments[position], at: position, next: next)
        switch token.map({ meaning(of: $0, options) }) ?? .unknown {
        case .value(let option, let value, let usesNext):
            let place = token?.place ?? ""
            let earlier = places.updateValue(place, forKey: option.key)
            tree[option.key] = value
            if option.kind == .list {
                lists[option.key, default: []].append(value)
            } else if let earlier {
                problems.append("\(place) was given before, as \(earlier); the last one counts.")
            }
            return position + (usesNext ? 2 : 1)
        case .secret(let usesNext):
            return position + (usesNext ? 2 : 1)
        case .unknown:
            remaining.append(arguments[position])
            return position + 1
        }
    }

    private enum Meaning {
        case value(CommandLineOption, SettingValue, usesNext: Bool)
        /// Neither used nor left to a parser that might show it.
        case secret(usesNext: Bool)
        case unknown
    }

    private mutating func meaning(of token: OptionToken, _ options: CommandLineOptions) -> Meaning {
        let matches = token.isLong ? options.matches(long: token.name) : options.matches(short: token.name)
        guard let match = matches.first else { return .unknown }
        if matches.contains(where: { $0.option.kind == .secret }) {
            problems.append("\(token.place) is a secret, which is not read from arguments, where others can see it.")
            return .secret(usesNext: token.attached == nil && token.next != nil)
        }
        guard matches.count == 1 else {
            let collision = SpellingCollision(token.dashedName, match.option.key, matches[1].option.key)
            problems.append("\(token.place) is not used: \(collision)")
            return .unknown
        }
        return meaning(of: token, match)
    }

    private mutating func meaning(of token: OptionToken, _ match: CommandLineOptions.Match) -> Meaning {
        let option = match.option
        if match.isNegated {
            guard token.attached == nil else { return unusable(token, "takes no value") }
            return .value(option, .string("false"), usesNext: false)
        }
        if let attached = token.attached { return .value(option, .string(attached), usesNext: false) }
        if token.isLong, option.kind == .flag, token.next != "true", token.next != "false" {
            return .value(option, .string("true"), usesNext: false)
        }
        guard let next = token.next else { return unusable(token, "has no value") }
        return .value(option, token.isLong ? .string(next) : OldPropertyList.value(of: next), usesNext: true)
    }

    private mutating func unusable(_ token: OptionToken, _ reason: String) -> Meaning {
        problems.append("\(token.place) \(reason).")
        return .unknown
    }
}

/// An argument that begins with hyphens, and the next one.
private struct OptionToken {
    let isLong: Bool
    /// Without hyphens.
    let name: String
    /// The text after an equals sign.
    let attached: String?
    /// The next argument, unless it is an option.
    let next: String?
    let place: String

    /// Returns `nil` if the argument is not an option.
    init?(_ argument: String, at position: Int, next: String?) {
        guard argument.isOption else { return nil }
        isLong = argument.utf8.starts(with: "--".utf8)
        let text = argument.utf8.dropFirst(isLong ? 2 : 1)
        let end = isLong ? text.firstIndex(of: UInt8(ascii: "=")) : nil
        name = String(Substring(text[..<(end ?? text.endIndex)]))
        attached = end.map { String(Substring(text[text.index(after: $0)...])) }
        self.next = next
        place = "argument \(position + 1), `\(isLong ? "--" : "-")\(name)`"
    }

    var dashedName: String { (isLong ? "--" : "-") + name }
}

extension String {
    /// Whether an argument looks like an option rather than a value, as `-5` and `-` do.
    package var isOption: Bool {
        guard utf8.first == UInt8(ascii: "-") else { return false }
        return utf8.dropFirst().first == UInt8(ascii: "-") || dropFirst().first?.isLetter == true
    }
}
