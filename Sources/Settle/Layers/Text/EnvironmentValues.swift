/// The values that environment variables give to settings.
struct EnvironmentValues: Sendable, Equatable {
    /// Strings.
    private(set) var tree = SettingTree()
    /// The source of the value of each key, such as `the variable APP_PORT`.
    private(set) var places: [SettingKey: String] = [:]
    /// For each key whose variable can't be used, a sentence about that. It never quotes a value.
    private(set) var problems: [SettingKey: String] = [:]
    /// The files that variables name, even those that could not be read.
    private(set) var files: Set<FilePath> = []
    /// The keys that were looked up.
    let looked: [SettingKey]

    /// - Parameters:
    ///   - environment: All variables.
    ///   - names: The variables to use.
    ///   - read: Reads the file at the path of a `…_FILE` variable.
    init(_ environment: [String: String], names: EnvironmentNames, read: (String) throws -> [UInt8]) {
        looked = names.variables.map(\.key)
        for (key, name) in names.variables {
            let fileName = names.fileVariable(of: name)
            let path = fileName.flatMap { environment[$0] }
            if let text = environment[name] {
                set(text, at: key, "the variable \(name)")
                if path != nil { problems[key] = "\(name + "_FILE") is not used, because \(name) is set too." }
            } else if let path, let fileName {
                take(fileAt: path, of: fileName, for: key, read)
            }
        }
    }

    private mutating func take(
        fileAt path: String, of name: String, for key: SettingKey, _ read: (String) throws -> [UInt8]
    ) {
        // With escapes: the value of a variable may be anything.
        let place = "the file “\(path.debugDescription.dropFirst().dropLast())”, which the variable \(name) names"
        guard !path.isEmpty else { return problems[key] = "The variable \(name) is empty; it must name a file." }
        files.insert(FilePath(path))
        do {
            guard let text = String(validating: try read(path).withoutFinalLineBreak, as: UTF8.self) else {
                return problems[key] = "\(key) can't be read from \(place): it is not in UTF-8."
            }
            set(text, at: key, place)
        } catch {
            problems[key] = "\(key) can't be read from \(place): \(error)"
        }
    }

    private mutating func set(_ text: String, at key: SettingKey, _ place: String) {
        tree[key] = .string(text)
        places[key] = place
    }
}

extension [UInt8] {
    /// The bytes without the final line break that editors and `echo` add.
    var withoutFinalLineBreak: ArraySlice<UInt8> {
        guard last == UInt8(ascii: "\n") else { return self[...] }
        return dropLast(dropLast().last == UInt8(ascii: "\r") ? 2 : 1)
    }
}
