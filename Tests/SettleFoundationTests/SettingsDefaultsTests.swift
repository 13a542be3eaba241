import Foundation
import Settle
import SettleFoundation
import SettleInterchange
import SettleTesting
import Testing

private struct Lock: SettingsGroup {
    @Setting(in: 0...20) var attempts = 0
    @Setting var home: URL?
}

/// What the documentation of `UserDefaults` says of each method.
@Suite(.timeLimit(.minutes(10))) struct SettingsDefaultsTests {
    private func open(_ searching: SearchList = [.application]) async throws -> (SettingsDefaults, InMemoryStorage) {
        let storage = InMemoryStorage()
        let store = try await SettingsStore.open(storage: storage, searching: searching)
        return (SettingsDefaults(store, domainName: "com.example.app"), storage)
    }

    // MARK: Getters and setters

    @Test("Each type comes back as it was set") func types() async throws {
        let (defaults, _) = try await open()
        defaults.set(3, forKey: "int")
        defaults.set(0.1 as Float, forKey: "float")
        defaults.setFloat(0.5, forKey: "setFloat")
        defaults.set(2.5, forKey: "double")
        defaults.set(true, forKey: "bool")
        defaults.set("text", forKey: "string")
        defaults.set(Data([1, 2]), forKey: "data")
        defaults.set(Date(timeIntervalSince1970: 5), forKey: "date")
        defaults.set(["a", "b"], forKey: "strings")
        defaults.set([1, "b", [true]] as [Any], forKey: "array")
        defaults.set(["a": 1, "b": ["c": Data([3])]] as [String: Any], forKey: "dictionary")
        #expect(defaults.integer(forKey: "int") == 3 && defaults.object(forKey: "int") as? Int == 3)
        #expect(defaults.float(forKey: "float") == 0.1 && defaults.float(forKey: "setFloat") == 0.5)
        #expect(defaults.double(forKey: "double") == 2.5 && defaults.object(forKey: "double") as? Double == 2.5)
        #expect(defaults.bool(forKey: "bool") && defaults.object(forKey: "bool") as? Bool == true)
        #expect(defaults.string(forKey: "string") == "text" && defaults.object(forKey: "string") as? String == "text")
        #expect(
            defaults.data(forKey: "data") == Data([1, 2]) && defaults.object(forKey: "data") as? Data == Data([1, 2]))
        #expect(defaults.object(forKey: "date") as? Date == Date(timeIntervalSince1970: 5))
        #expect(defaults.stringArray(forKey: "strings") == ["a", "b"])
        let array = try #require(defaults.array(forKey: "array"))
        #expect(array[0] as? Int == 1 && array[1] as? String == "b" && (array[2] as? [Any])?.first as? Bool == true)
        #expect(defaults.stringArray(forKey: "array") == nil)
        let dictionary = try #require(defaults.dictionary(forKey: "dictionary"))
        #expect(dictionary["a"] as? Int == 1 && (dictionary["b"] as? [String: Any])?["c"] as? Data == Data([3]))
    }

    @Test(
        "Each type comes back from a property list after a restart",
        arguments: [FileFormat.propertyListXML, .propertyListBinary])
    func typesAfterRestart(_ format: FileFormat) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "settings.plist")
        let values: [String: any Equatable] = [
            "fraction": Date(timeIntervalSinceReferenceDate: 0.25), "whole": Date(timeIntervalSinceReferenceDate: 7),
            "past": Date.distantPast, "far": Date(timeIntervalSinceReferenceDate: 1e12 + 0.5), "data": Data([1, 2]),
            "double": 1.0, "int": 1, "bool": true, "text": "2001-01-01T00:00:00.25Z", "null": "$null",
        ]
        for isRestart in [false, true] {
            let store = try await SettingsStore.open(storage: FileStorage(at: file, format: format))
            let defaults = SettingsDefaults(store, domainName: "com.example.app")
            if !isRestart { for (key, value) in values { defaults.set(value, forKey: key) } }
            for (key, value) in values {
                let isSame = isSame(value, defaults.object(forKey: key))
                #expect(isSame, "\(key)")
            }
            try await store.close()
            // Only the file, as a backup or another program has it.
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) where name.hasPrefix(".") {
                try FileManager.default.removeItem(at: folder.url.appending(path: name))
            }
        }
    }

    private func isSame<Value: Equatable>(_ value: Value, _ object: Any?) -> Bool { object as? Value == value }

    @Test("What is absent, or does not convert, is nil, 0 or false") func absent() async throws {
        let (defaults, _) = try await open()
        for key in ["absent", "array", ""] {
            #expect(defaults.string(forKey: key) == nil && defaults.data(forKey: key) == nil)
            #expect(defaults.dictionary(forKey: key) == nil && defaults.stringArray(forKey: key) == nil)
            #expect(defaults.integer(forKey: key) == 0 && defaults.float(forKey: key) == 0)
            #expect(
                defaults.double(forKey: key) == 0 && !defaults.bool(forKey: key) && defaults.url(forKey: key) == nil)
            if key != "array" { #expect(defaults.object(forKey: key) == nil && defaults.array(forKey: key) == nil) }
            defaults.set([1], forKey: "array")
        }
    }

    @Test(
        "Texts convert to numbers and truth values",
        arguments: [
            ("12abc", 12, 12, true), ("YES", 0, 0, true), ("true", 0, 0, true), ("NO", 0, 0, false), ("0", 0, 0, false),
            ("1", 1, 1, true), ("-2.5", -2, -2.5, true), (" 7", 7, 7, true), ("abc", 0, 0, false), ("", 0, 0, false),
        ] as [(String, Int, Double, Bool)])
    func texts(text: String, integer: Int, double: Double, bool: Bool) async throws {
        let (defaults, _) = try await open()
        defaults.set(text, forKey: "key")
        #expect(defaults.integer(forKey: "key") == integer)
        #expect(defaults.double(forKey: "key") == double && defaults.float(forKey: "key") == Float(double))
        #expect(defaults.bool(forKey: "key") == bool)
        #expect(defaults.string(forKey: "key") == text)
    }

    @Test("Numbers convert to each other, to text and to truth values") func numbers() async throws {
        let (defaults, _) = try await open()
        defaults.set(2.9, forKey: "real")
        defaults.set(true, forKey: "bool")
        defaults.set(0, forKey: "zero")
        #expect(defaults.integer(forKey: "real") == 2 && defaults.string(forKey: "real") == "2.9")
        #expect(defaults.integer(forKey: "bool") == 1 && defaults.string(forKey: "bool") == "1")
        #expect(defaults.bool(forKey: "real") && !defaults.bool(forKey: "zero") && defaults.double(forKey: "bool") == 1)
    }

    @Test("Objects of Foundation are values, too") func foundationObjects() async throws {
        let (defaults, storage) = try await open()
        defaults.set(NSNumber(value: 7), forKey: "number")
        defaults.set(NSNumber(value: 1.5), forKey: "real")
        defaults.set(NSString(string: "s"), forKey: "string")
        defaults.set(NSDate(timeIntervalSince1970: 1), forKey: "date")
        defaults.set(NSData(data: Data([1])), forKey: "data")
        defaults.set(NSArray(array: [NSNumber(value: 1), NSString(string: "a")]), forKey: "array")
        defaults.set(NSDictionary(object: NSNumber(value: 2), forKey: NSString(string: "k")), forKey: "dictionary")
        defaults.set(UInt8(9) as Any, forKey: "byte")
        defaults.set(UInt64.max as Any, forKey: "large")
        defaults.set(CGFloat(0.5) as Any, forKey: "cgFloat")
        defaults.set(Float(0.1) as Any, forKey: "float")
        defaults.set(NSNumber(value: true), forKey: "true")
        try await defaults.store.flush()
        #expect(
            storage.tree.root == [
                "number": .integer(7), "real": .real(1.5), "string": .string("s"),
                "date": .date(Date(timeIntervalSince1970: 1)), "data": .data(Data([1])),
                "array": .array([.integer(1), .string("a")]), "dictionary": .dictionary(["k": .integer(2)]),
                "byte": .integer(9), "large": .number("18446744073709551615"), "cgFloat": .real(0.5),
                "float": .real(0.1), "true": .bool(true),
            ])
        #expect(defaults.object(forKey: "large") as? UInt64 == .max)
    }

    @Test("nil and removeObject remove the value; a registered default is in force then") func removing() async throws {
        let (defaults, storage) = try await open()
        defaults.register(defaults: ["key": 1])
        defaults.set(2, forKey: "key")
        defaults.removeObject(forKey: "key")
        #expect(defaults.integer(forKey: "key") == 1)
        defaults.set("x", forKey: "other")
        defaults.set(nil as Any?, forKey: "other")
        defaults.set(URL(string: "https://example.com"), forKey: "url")
        defaults.set(nil as URL?, forKey: "url")
        #expect(defaults.object(forKey: "other") == nil && defaults.object(forKey: "url") == nil)
        try await defaults.store.flush()
        #expect(storage.tree.root.isEmpty)
    }

    @Test("A key with dots is one name, or the declared setting with that key") func dots() async throws {
        let (defaults, storage) = try await open()
        defaults.set(1, forKey: "a.b")
        let lock = try await defaults.store.group(Lock.self, at: "lock")
        defaults.set(3, forKey: "lock.attempts")
        #expect(lock.attempts == 3 && defaults.integer(forKey: "lock.attempts") == 3)
        lock.attempts = 4
        #expect(defaults.integer(forKey: "lock.attempts") == 4)
        try await defaults.store.flush()
        #expect(storage.tree.root == ["a.b": .integer(1), "lock": .dictionary(["attempts": .integer(4)])])
        #expect(defaults.object(forKey: "a") == nil)
    }

    @Test("What can't be written is reported, and the old value stays") func refusals() async throws {
        let (defaults, _) = try await open()
        let lock = try await defaults.store.group(Lock.self, at: "lock")
        lock.attempts = 2
        defaults.set(1, forKey: "key")
        defaults.set(NSObject(), forKey: "key")
        defaults.set([1: 2], forKey: "key")
        defaults.set([NSObject()], forKey: "key")
        defaults.set(21, forKey: "lock.attempts")
        defaults.set(5, forKey: "")
        var issues = defaults.store.issues.makeAsyncIterator()
        for _ in 0..<3 {
            let issue = try #require(await issues.next())
            #expect(issue.key == "key" && issue.description.contains("a property list has strings"))
        }
        #expect(await issues.next()?.code == .invalidValue)
        #expect(await issues.next()?.code == .invalidKey)
        #expect(defaults.integer(forKey: "key") == 1 && lock.attempts == 2)
    }

    @Test("Every type is as it was after a restart; without its journal, a JSON file has dates and data as texts")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let site = try #require(URL(string: "https://example.com/a"))
        for name in ["settings.plist", "settings.json"] {
            let file = folder.url.appending(path: name)
            var defaults = SettingsDefaults(try await SettingsStore.open(at: file))
            defaults.set(Date(timeIntervalSince1970: 5), forKey: "date")
            defaults.set(Data([1, 2, 3]), forKey: "data")
            defaults.set(2, forKey: "int")
            defaults.set(site, forKey: "site")
            #expect(defaults.synchronize())
            for hasJournal in [true, false] {
                try await defaults.store.close()
                if !hasJournal {
                    try FileManager.default.removeItem(at: folder.url.appending(path: ".\(name).journal"))
                }
                defaults = SettingsDefaults(try await SettingsStore.open(at: file))
                #expect(defaults.data(forKey: "data") == Data([1, 2, 3]) && defaults.url(forKey: "site") == site)
                #expect(defaults.object(forKey: "int") as? Int == 2)
                let areTexts = name == "settings.json" && !hasJournal
                #expect((defaults.object(forKey: "date") as? Date == nil) == areTexts)
                #expect((defaults.object(forKey: "data") as? String == "AQID") == areTexts)
            }
            try await defaults.store.close()
        }
    }

    // MARK: URLs

    @Test("A file at home is a path with a tilde, and other URLs are archived") func urls() async throws {
        let (defaults, storage) = try await open()
        let home = userHome()
        let inside = URL(filePath: "\(home)/Notes/a b.txt")
        let outside = URL(filePath: "/usr/share/dict")
        let site = try #require(URL(string: "https://example.com/a?b=c#d"))
        let relative = try #require(URL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b")))
        for (key, url) in ["inside": inside, "outside": outside, "site": site, "relative": relative] {
            defaults.set(url, forKey: key)
            #expect(defaults.url(forKey: key)?.absoluteString == url.absoluteString, "\(key)")
        }
        defaults.set(site as Any, forKey: "any")
        #expect(defaults.url(forKey: "any") == site)
        defaults.set(URL(filePath: home), forKey: "home")
        defaults.set(URL(filePath: home + "work/x"), forKey: "beside")
        try await defaults.store.flush()
        #expect(storage.tree["inside"] == .string("~/Notes/a b.txt") && storage.tree["home"] == .string("~"))
        for key in ["outside", "site", "relative", "any", "beside"] {
            guard case .data? = storage.tree[key] else {
                Issue.record("\(key) is not archived")
                continue
            }
        }
        defaults.set("~/x", forKey: "tilde")
        defaults.set("/tmp/y", forKey: "path")
        defaults.set(Data([1]), forKey: "junk")
        #expect(defaults.url(forKey: "tilde") == URL(filePath: home + "/x"))
        #expect(defaults.url(forKey: "path") == URL(filePath: "/tmp/y"))
        #expect(defaults.url(forKey: "junk") == nil && defaults.url(forKey: "absent") == nil)
    }

    @Test("URLs that Foundation's UserDefaults has archived are read, also from JSON") func archivedURLs() async throws
    {
        let (defaults, _) = try await open()
        let url = try #require(NSURL(string: "https://example.com/x"))
        let data = try NSKeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true)
        defaults.set(data, forKey: "data")
        defaults.set(data.base64EncodedString(), forKey: "text")
        #expect(defaults.url(forKey: "data")?.absoluteString == "https://example.com/x")
        #expect(defaults.url(forKey: "text")?.absoluteString == "https://example.com/x")
    }

    @Test("A declared URL gets the URL itself") func declaredURL() async throws {
        let (defaults, storage) = try await open()
        let lock = try await defaults.store.group(Lock.self, at: "lock")
        defaults.set(URL(string: "https://example.com"), forKey: "lock.home")
        #expect(lock.home == URL(string: "https://example.com") && defaults.url(forKey: "lock.home") == lock.home)
        try await defaults.store.flush()
        #expect(storage.tree["lock.home"] == .string("https://example.com"))
    }
}
