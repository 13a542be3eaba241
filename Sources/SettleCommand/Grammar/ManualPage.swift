/// The manual page of a command, for `man`.
struct ManualPage {
    let program: String
    let table: VerbTable

    private var isTool: Bool { table.isTool }

    var text: String {
        let title = program.replacing(" ", with: "-")
        var lines = [
            ".TH \"\(Self.escaped(title.uppercased()))\" 1", ".SH NAME",
            "\(Self.escaped(title)) \\- read and write settings", ".SH SYNOPSIS",
            ".B \(Self.escaped(program))", "\\fIVERB\\fR\(isTool ? " \\fIDOMAIN\\fR" : "") ...", ".SH VERBS",
        ]
        for verb in table.verbs {
            lines += [".SS \"\(Self.escaped(verb.usage(of: program, isTool: isTool)))\"", Self.paragraph(verb.summary)]
            for paragraph in verb.details.split(separator: "\n\n") {
                lines += [".PP", Self.paragraph(String(paragraph))]
            }
            for option in verb.options { lines += entry(option.spelled, option.help) }
            if verb.takesValue { for flag in ValueFlag.allCases { lines += entry(flag.rawValue, flag.help) } }
        }
        lines.append(".SH OPTIONS OF ALL VERBS")
        for option in (isTool ? Verb.Option.ofDomain : []) + Verb.Option.common {
            lines += entry(option.spelled, option.help)
        }
        lines.append(".SH EXIT STATUS")
        for code in table.exitCodes { lines += entry("\(code.rawValue)", code.meaning) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func entry(_ name: String, _ words: String) -> [String] {
        [".TP", ".B \"\(Self.escaped(name))\"", Self.paragraph(words)]
    }

    /// Returns a paragraph, escaped because a line that begins with a dot or an apostrophe would be a request.
    private static func paragraph(_ text: String) -> String {
        let text = escaped(text)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&\(text)" : text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("“", with: "\\(lq")
            .replacing("”", with: "\\(rq").replacing("\"", with: "\\(dq").replacing("…", with: "...")
    }
}
