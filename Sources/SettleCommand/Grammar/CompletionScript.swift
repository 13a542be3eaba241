/// A script by which a shell asks the command itself for the candidates of a word.
struct CompletionScript {
    let program: String

    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// The verb that scripts use for this. The words of the command line follow, with the unfinished one last.
    static let question = "__complete"

    func text(for shell: Shell) -> String {
        let words = program.split(separator: " ").map(String.init)
        let (command, inner) = (words.first ?? program, words.dropFirst().joined(separator: " "))
        let function = "_" + command.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let skipped = words.count
        return switch shell {
        case .bash:
            """
            \(function)() {
                local line
                COMPREPLY=()
                \(guarded("\"${COMP_WORDS[*]:1:\(skipped - 1)}\"", inner))
                while IFS= read -r line; do COMPREPLY+=("$(printf '%q' "${line%%$'\\t'*}")"); done \\
                    < <(\(program) \(Self.question) "${COMP_WORDS[@]:\(skipped):$((COMP_CWORD - \(skipped - 1)))}" 2>/dev/null)
                [[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
            }
            complete -F \(function) \(command)

            """
        case .zsh:
            """
            #compdef \(command)
            \(function)() {
                local -a candidates
                \(guarded("\"${words[2,\(skipped)]}\"", inner))
                candidates=("${(@f)$(\(program) \(Self.question) "${(@)words[\(skipped + 1),CURRENT]}" 2>/dev/null)}")
                candidates=(${(@)candidates//:/\\\\:})
                candidates=(${(@)candidates/$'\\t'/:})
                [[ -n "${candidates[1]}" ]] && _describe '\(command)' candidates || _files
            }
            compdef \(function) \(command)

            """
        case .fish:
            """
            function \(function)
                set -l words (commandline -opc) (commandline -ct)
                \(inner.isEmpty ? "" : "test \"$words[2..\(skipped)]\" = \"\(inner)\"; or return")
                \(program) \(Self.question) $words[\(skipped + 1)..-1] 2>/dev/null
            end
            complete -c \(command) -a '(\(function))'

            """
        }
    }

    /// Returns a script that does nothing for other commands of the same program.
    private func guarded(_ words: String, _ inner: String) -> String {
        inner.isEmpty ? ":" : "[[ \(words) == \"\(inner)\" ]] || return 0"
    }
}
