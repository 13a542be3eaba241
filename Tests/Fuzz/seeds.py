#!/usr/bin/env python3
"""Writes the inputs that fuzzing begins with: one file for each thing that a reader knows.

    Tests/Fuzz/seeds.py oldtext | strings | archives | journal | … FOLDER
"""
import plistlib
import sys
from pathlib import Path
from plistlib import UID

OLD_TEXT = {
    "list": '{ports = (80, 443,); name = "a b"; data = <0fbd 7700>; nested = {a = {b = ();};};}',
    "escapes": r'''{"\U00e9\n\"\\" = 'it''s'; "\341\7" = "\Ud83d\Ude00"; a.b-c/d:$e_ = "\a\b\f\v\t\r";}''',
    "types": "{a = <*I-5>; b = <*R1.5>; c = <*BY>; d = <*D2001-12-31 23:59:59 +0000>; e = <[AQID]>; f = <*Rnan>;}",
    "comments": "// first\n/* second */ {a /* third */ = 1; // fourth\n}\u2028// fifth\u2029",
    "bare": '"a" = "b"; c; "d" = {e = f;};',
    "array": '("a", (b, <00>), {})',
    "word": "word",
    "quoted": ' "a word" ',
}

STRINGS = {
    "table": '/* Title of a window */\n"title" = "Settings";\n\n// One\n// Two\n"ok";\n"%d files" = "%#@files@";\n/* end */\n',
    "braces": '{ a = b; "a" = "c"; /* x */ d; }',
    "hidden": '// a */ b\n\n// c\n"k\\U2028" = "\\"\\\\\\n";',
}

PLURALS = {
    "%d files": {
        "NSStringLocalizedFormatKey": "%1$#@files@ in %2$#@folders@",
        "files": {
            "NSStringFormatSpecTypeKey": "NSStringPluralRuleType",
            "NSStringFormatValueTypeKey": "lu",
            "zero": "no file",
            "one": "%lu file",
            "other": "%lu files in %#@folders@",
        },
        "folders": {"NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "other": "%#@files@"},
    },
    "width": {"NSStringVariableWidthRuleType": {"20": "short", "50": "longer"}},
    "none": "x",
}


def archived(name, bases, **fields):
    """Two objects: an instance and its class, whose references count from where they will stand."""
    return fields, {"$classname": name, "$classes": [name, *bases]}


def archive(*things, top=None):
    """An archive of the things in a dictionary, each an instance with its class."""
    objects = ["$null", None, {"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]}]
    keys, values = [], []
    for number, thing in enumerate(things):
        keys.append(UID(len(objects)))
        objects.append(f"key {number}")
        values.append(UID(len(objects)))
        if isinstance(thing, tuple):
            fields, its_class = thing
            objects += [{**fields, "$class": UID(len(objects) + 1)}, its_class]
        else:
            objects.append(thing)
    objects[1] = {"NS.keys": keys, "NS.objects": values, "$class": UID(2)}
    return {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": top or {"root": UID(1)}, "$objects": objects}


ARCHIVES = {
    "plain": archive("text", 5, -1, 2.5, True, b"\1\2", "é\U0001F600"),
    "foundation": archive(
        archived("NSDate", ["NSObject"], **{"NS.time": 700000000.5}),
        archived("NSUUID", ["NSObject"], **{"NS.uuidbytes": bytes(range(16))}),
        archived("NSURL", ["NSObject"], **{"NS.base": UID(0), "NS.relative": UID(4)}),
        archived("NSMutableString", ["NSString", "NSObject"], **{"NS.string": "old"}),
        archived("NSString", ["NSObject"], **{"NS.bytes": b"older"}),
        archived("NSMutableData", ["NSData", "NSObject"], **{"NS.data": b"\0\xff"}),
        archived("NSNull", ["NSObject"]),
        archived("NSDecimalNumber", ["NSNumber", "NSObject"], **{
            "NS.mantissa": b"\x39\x30" + bytes(14), "NS.exponent": -2, "NS.length": 1, "NS.negative": True,
            "NS.mantissa.bo": 1, "NS.compact": True}),
    ),
    "collections": archive(
        archived("NSArray", ["NSObject"], **{"NS.objects": [UID(0), UID(3), UID(5)]}),
        archived("NSMutableSet", ["NSSet", "NSObject"], **{"NS.objects": [UID(3)]}),
        archived("NSOrderedSet", ["NSObject"], **{"NS.object.0": UID(3), "NS.object.1": UID(6)}),
        archived("NSDictionary", ["NSObject"], **{"NS.key.0": UID(3), "NS.object.0": UID(0)}),
    ),
    "cycle": archive(archived("NSArray", ["NSObject"], **{"NS.objects": [UID(1), UID(4)]})),
    # Two lists that share a third one, which is mutable, and of which one is in itself; a long text; a null in a field.
    "shared": archive(
        archived("NSArray", ["NSObject"], **{"NS.objects": [UID(10), UID(10), UID(4), UID(13)]}),
        archived("NSMutableArray", ["NSArray", "NSObject"], **{"NS.objects": [UID(10), UID(4), UID(15)]}),
        archived("NSMutableArray", ["NSArray", "NSObject"], **{"NS.objects": []}),
        "long" * 100,
        archived("Person", ["NSObject"], parent=UID(4), text=UID(13), none=UID(18)),
        archived("NSNull", ["NSObject"]),
    ),
    "group": archive(
        archived("PasscodeSettings", ["NSObject"], applicationVersion=UID(3), isPasscodeEnabled=True, attemptCount=3,
                 checkInterval=60.0, nextCheckDate=0.0),
        top={"root": UID(4), "other": UID(1), "number": 7}),
}


def in_xml(value):
    """With the dictionaries that stand for references in XML."""
    if isinstance(value, UID):
        return {"CF$UID": value.data}
    if isinstance(value, dict):
        return {key: in_xml(part) for key, part in value.items()}
    return [in_xml(part) for part in value] if isinstance(value, list) else value


def record(kind, keys=(), count=None, body=b"", counted=False, durable=False):
    """A description of a record of a journal, as the fuzzer reads it."""
    keys = [key.encode() for key in keys]
    names = b"".join(bytes([len(key)]) + key for key in keys)
    first = kind - 1 | (64 if counted else 0) | (128 if durable else 0)
    return bytes([first, len(names), len(keys) if count is None else count, len(body)]) + names + body


def journals():
    """Each kind of record: base, values, edited, mirroring, mirrored, kept, history, past."""
    def number(value):
        return value.to_bytes(8, "little")

    def text(value):
        return bytes([len(value)]) + value.encode()

    version, later = number(1) + number(2), number(3) + number(2)
    absent, one, string = b"\0", b"\4\2", b"\7" + text("y")
    time = b"\0" * 6 + b"\xf0\x3f"
    transaction = (time + b"\5" + text("local") + text("w") + b"\2" + text("a") + absent + one
                   + text("k.x") + b"\xff\xff")
    undo = time + b"\x0e" + text("local") + number(1) + number(2) + number(3) + b"\3" + b"\1" + text("a") + one + absent
    counted = number(9) + b"\1" + time + text("tool") + text("user") + b"\7" + b"\1" + transaction
    several = number(9) + b"\3" + time + text("") + text("") + b"\0" + b"\1" + undo
    tree = b"\x0b\2" + text("k") + b"\x0b\1" + text("x") + string + text("a") + one
    difference = b"\2" + text("k.x") + one + text("b") + absent
    past = record(8, body=number(5) + counted, counted=True) + record(8, body=number(6) + several, counted=True)
    base = record(1, count=255, body=b"\2" + version + difference + later + b"\0" + tree, durable=True)
    rest = [
        record(2, ["a", "b"], body=b"\1\0" + string + absent + counted, counted=True, durable=True),
        record(4, body=version, durable=True), record(2, ["k.x", "a"], body=b"\2\1" + text("w") + one + absent),
        record(5, body=version, durable=True), record(3, ["k"], body=later + b"\0\0" + b"\5" + time, durable=True),
        record(6, ["a"], body=b"\0\0" + b"\x0a\1" + one), record(7, body=b"\x14\x7f" + number(60) + b"\1" + text("k.x")),
        record(2, ["k.z"], body=b"\0\0" + string), record(3, [], body=b"\xff" * 16 + b"\0\0")]
    rest = b"".join(rest)
    return {"described": b"\1" + past + base + rest, "damaged": b"\2\0\x90\4\0" + past + base + rest,
            "mirrored": b"\1" + base + record(4, body=later) + record(5, body=later), "edited": b"\1" + base + rest[-40:],
            "salvaged": b"\2\0\x20\4\0" + base + rest,
            "header": b"\3" + b"".join(number(value) for value in range(1, 11)) + number(120) * 3 + b"\1"}


def seeds(target):
    if target == "journal":
        return journals()
    if target == "oldtext":
        return {name: text.encode() for name, text in OLD_TEXT.items()} | {
            "utf16": OLD_TEXT["comments"].encode("utf-16")}
    if target == "strings":
        return {name: text.encode() for name, text in STRINGS.items()} | {
            "utf16": STRINGS["table"].encode("utf-16"),
            "xml": plistlib.dumps({"a": "b", "é": "<"}),
            "binary": plistlib.dumps({"a": "b", "é": "<"}, fmt=plistlib.FMT_BINARY),
            "plurals": plistlib.dumps(PLURALS),
            "plurals-binary": plistlib.dumps(PLURALS, fmt=plistlib.FMT_BINARY),
            "plurals-text": b'{"%d" = {NSStringLocalizedFormatKey = "%#@a@"; a = {one = "%#@b@"; other = x;};};}'}
    if target == "archives":
        return {"stream": b"\x04\x0bstreamtyped\x81\xe8\x03"} | {
            f"{name}-xml": plistlib.dumps(in_xml(content)) for name, content in ARCHIVES.items()} | {
            f"{name}-binary": plistlib.dumps(content, fmt=plistlib.FMT_BINARY) for name, content in ARCHIVES.items()}
    return {}


target, folder = sys.argv[1], Path(sys.argv[2])
for name, content in seeds(target).items():
    (folder / name).write_bytes(content)
