import FoundationEssentials

/// Feeds an input to the readers of arguments, variables and other text. The input is split into texts at zero bytes.
///
/// For any input, no argument is lost or invented, no text of a secret shows, what is read does not depend on where
/// else the text may stand, and the first candidate for a text is the text. What a file of variables gives is what it
/// gives with other line ends, and with all values in quotation marks.
func fuzz(_ input: UnsafeBufferPointer<UInt8>) {
    let texts = input.split(separator: 0, omittingEmptySubsequences: false)
        .prefix(32).map { String(decoding: $0, as: UTF8.self) }
    checkArguments(texts)
    checkVariables(texts)
    for text in texts { checkText(text) }
    for bytes in input.split(separator: 0, maxSplits: 8) { checkEnvironmentFile(Array(bytes)) }
}

private let keys: [SettingKey] = ["port", "log.useColor", "passcode.attemptCount", "log.file", #"a\.b"#, "é"]

private let options = CommandLineOptions(
    keys.map { CommandLineOption($0, $0 == "log.useColor" ? .flag : .value) } + [CommandLineOption("token", .secret)])

private func checkArguments(_ arguments: [String]) {
    let values = CommandLineValues(arguments, options: options)
    var rest = arguments[...]
    for argument in values.remaining {
        guard let place = rest.firstIndex(of: argument) else {
            preconditionFailure("an argument was invented or moved")
        }
        rest = rest[(place + 1)...]
    }
    let plain = arguments.filter { $0.utf8.first != UInt8(ascii: "-") }
    precondition(CommandLineValues(plain, options: options).remaining == plain, "an argument was lost")
    precondition(values.remaining.count + values.places.count <= arguments.count, "an argument counts twice")
    precondition(values.places.keys.allSatisfy { values.tree[$0] != nil }, "a place has no value")
    precondition(values.tree["token"] == nil, "a secret was taken")
    let again = CommandLineValues(values.remaining, options: options)
    precondition(again.remaining.count <= values.remaining.count)

    let secret = "4f1c9d0e"
    let hidden = CommandLineValues(["--token", secret, "--token=" + secret, "-token", secret], options: options)
    precondition(!"\(hidden)".contains(secret), "a secret shows")
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    precondition(values.remaining.suffix(arguments.count - end) == arguments[end...], "something was taken after --")
}

private func checkVariables(_ texts: [String]) {
    guard let names = try? EnvironmentNames(prefix: "APP", keys: keys) else { preconditionFailure("keys collide") }
    var environment: [String: String] = [:]
    for (variable, text) in zip(names.variables.map(\.name) + ["APP_PORT_FILE", "APP_LOG_FILE_FILE"], texts) {
        environment[variable] = text
    }
    let values = EnvironmentValues(environment, names: names) { Array($0.utf8) }
    for (key, name) in names.variables {
        guard let text = environment[name] else { continue }
        guard case .string(let found)? = values.tree[key], found.utf8.elementsEqual(text.utf8) else {
            preconditionFailure("a variable was lost or has changed")
        }
    }
    for text in texts {
        let key = SettingKey(name: text)
        let name = EnvironmentNames.name(of: key, prefix: "APP")
        // By bytes: to Swift, an underscore before an accent is another character.
        let isName = !name.utf8.contains(UInt8(ascii: "=")) && !name.utf8.contains(0)
        precondition(isName && name.utf8.starts(with: "APP_".utf8), "no name of a variable")
    }
}

private func checkEnvironmentFile(_ bytes: [UInt8]) {
    let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    let lineCount = bytes.count { $0 == newline } + 1
    let file: EnvironmentFile
    do throws(FormatError) {
        file = try EnvironmentFile(bytes)
    } catch {
        guard case .text(let line, let column) = error.place, 1...lineCount ~= line, column > 0 else {
            preconditionFailure("an error has no place in the file")
        }
        precondition(!bytes.starts(with: Array("SECRET=4f1c9d0e".utf8)) || !"\(error)".contains("4f1c9d0e"))
        return
    }
    if !bytes.contains(carriageReturn) {
        let other = try? EnvironmentFile(bytes.flatMap { $0 == newline ? [carriageReturn, newline] : [$0] })
        precondition(other == file, "a file depends on its line ends")
    }
    var spelled = ""
    for (name, value) in file.tree.root {
        guard case .string(let text) = value, let line = file.lines.line(of: SettingKey(name: name)) else {
            preconditionFailure("a variable has no text or no line")
        }
        precondition(1...lineCount ~= line && !name.utf8.contains { $0 <= UInt8(ascii: " ") }, "a wrong line or name")
        spelled += name + "=\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "$": spelled += "\\" + String(scalar)
            case "\r": spelled += "\\r"
            default: spelled.unicodeScalars.append(scalar)
            }
        }
        spelled += "\"\n"
    }
    guard let again = try? EnvironmentFile(Array(spelled.utf8)), again.tree == file.tree else {
        preconditionFailure("a variable has changed within quotation marks")
    }
}

private func checkText(_ text: String) {
    let value = OldPropertyList.value(of: text)
    if case .string(let found) = value, !found.utf8.elementsEqual(text.utf8) {
        precondition(text.contains("\""), "a text was not kept")
    }
    guard case .string(let first)? = TextCandidates.candidates(for: .string(text)).first(where: { _ in true }),
        first.utf8.elementsEqual(text.utf8)
    else { preconditionFailure("the text is not the first candidate") }
    decode(.string(text))
    decode(value)
    let languages = LanguageOrder.languages(preferred: [text], environment: ["LANGUAGE": text, "LANG": text])
    precondition(Set(languages).count == languages.count, "a language comes twice")
}

private func decode(_ value: SettingValue) {
    func decode<Value: Codable & Sendable>(_: Value.Type) -> Value? {
        try? TextCandidates.decode(value, with: SettingCodec<Value>.standard) { _ in }
    }
    _ = decode(Int.self)
    _ = decode(Bool.self)
    _ = decode(Date.self)
    _ = decode([String: [Double]].self)
    _ = decode([Int].self)
    guard let duration = decode(Duration.self) else { return }
    let spelled = duration.settingValue()
    precondition((try? Duration(settingValue: spelled)) == duration, "a duration has changed")
}
