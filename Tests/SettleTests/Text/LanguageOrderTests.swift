import Testing

@testable import Settle

@Suite struct LanguageOrderTests {
    private func languages(_ preferred: [String]? = nil, _ environment: [String: String] = [:]) -> [String] {
        LanguageOrder.languages(preferred: preferred, environment: environment)
    }

    @Test("Each language is followed by what it falls back to") func fallbacks() {
        #expect(languages(["pt-BR", "en-GB"]) == ["pt-BR", "pt", "en-GB", "en"])
        #expect(languages(["zh-Hant-TW", "de"]) == ["zh-Hant-TW", "zh-Hant", "zh", "de"])
    }

    @Test("A language that comes up again is left out") func repeated() {
        #expect(languages(["en-US", "en-GB", "en", "en-US", "de"]) == ["en-US", "en", "en-GB", "de"])
    }

    @Test(
        "Of the environment, the variables count in the order of gettext",
        arguments: [
            (["LANG": "pt_BR.UTF-8"], ["pt-BR", "pt"]),
            (["LANG": "de_DE", "LC_ALL": "fr_FR"], ["fr-FR", "fr"]),
            (["LANG": "de_DE", "LC_MESSAGES": "it_IT"], ["it-IT", "it"]),
            (["LC_MESSAGES": "it_IT", "LC_ALL": "fr_FR@euro"], ["fr-FR", "fr"]),
            (["LANG": "de_DE", "LC_ALL": ""], ["de-DE", "de"]),
            (["LANGUAGE": "sv:de_AT:", "LANG": "en_US"], ["sv", "de-AT", "de"]),
            (["LANGUAGE": "", "LANG": "en_US"], ["en-US", "en"]),
            (["LANGUAGE": ":", "LANG": "en"], ["en"]),
            (["LANGUAGE": "sv"], ["sv"]),
            (["LANGUAGE": "sv", "LANG": "C"], []),
            (["LANGUAGE": "sv", "LC_ALL": "POSIX", "LANG": "de"], []),
            (["LANG": "C.UTF-8"], []),
            (["LANGUAGE": "C:de", "LANG": "en"], ["de"]),
            (["LANG": "sr_RS@latin"], ["sr-RS", "sr"]),
            ([:], []),
        ] as [([String: String], [String])]) func environment(variables: [String: String], expected: [String])
    {
        #expect(languages(nil, variables) == expected)
        #expect(languages([], variables) == expected)
        #expect(languages(["ja"], variables) == ["ja"])
    }

    @Test("Texts that are no language are left out, and long ones cost little", .timeLimit(.minutes(10)))
    func hostile() {
        #expect(languages(["", " ", "-", "_", ".UTF-8", "@x", "POSIX", "C", "--de__AT-"]) == ["de-AT", "de"])
        let long = String(repeating: "a-", count: 1_000_000)
        #expect(languages([long]).count == 8)
        #expect(languages(nil, ["LANGUAGE": String(repeating: "x:", count: 100_000) + "y"]) == ["x", "y"])
        #expect(languages((0..<100_000).map { "l\($0)-X" }).count == 200_000)
    }
}
