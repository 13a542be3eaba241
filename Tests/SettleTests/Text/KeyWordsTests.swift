import Testing

@testable import Settle

@Suite struct KeyWordsTests {
    @Test(
        "Names are split into words as in swift-configuration",
        arguments: [
            ("port", "PORT", "port"),
            ("passcode.attemptCount", "PASSCODE_ATTEMPT_COUNT", "passcode-attempt-count"),
            ("http.user-agent", "HTTP_USER_AGENT", "http-user-agent"),
            ("user_name", "USER_NAME", "user-name"),
            ("userID", "USER_ID", "user-id"),
            ("HTTPServer", "HTTPSERVER", "httpserver"),
            ("sha256Sum", "SHA256SUM", "sha256sum"),
            ("aB.cD", "A_B_C_D", "a-b-c-d"),
            (#"window\.width"#, "WINDOW_WIDTH", "window-width"),
            (#"a\\b"#, "A_B", "a-b"),
            ("größeÄ.straße", "GRÖSSE_Ä_STRASSE", "größe-ä-straße"),
            ("a=b c\0", "A_B_C_", "a-b-c-"),
            ("e\u{301}X", "E\u{301}_X", "e\u{301}-x"),
            ("-", "_", "-"),
        ]) func words(key: String, variable: String, option: String) throws
    {
        let key = try #require(SettingKey(key))
        #expect(key.environmentSpelling.utf8.elementsEqual(variable.utf8))
        #expect(key.kebabSpelling.utf8.elementsEqual(option.utf8))
    }

    @Test("In kebab case the dots may stay") func dots() {
        #expect(SettingKey("passcode.attemptCount").dottedKebabSpelling == "passcode.attempt-count")
    }
}
