import Settle

/// Files that lose entries.
extension JSONTexts {
    static let removals = MarkedText.table(
        .json,
        #"""
        === The first entry goes with its line
        {
        «  "a": 1,
        →»  "b": 2,
          "c": 3
        }
        === An entry in the middle goes with its line
        {
          "a": 1,
        «  "b": 2,
        →»  "c": 3
        }
        === The last entry goes with its line and the comma before it
        {
          "a": 1,
          "b": 2«,
          "c": 3→»
        }
        === The last entry goes, and a trailing comma stays
        {
          "a": 1,
          "b": 2,
        «  "c": 3,
        →»}
        === The only entry goes
        {
        «  "a": 1
        →»}
        === The only entry goes with its trailing comma
        {
        «  "a": 1,
        →»}
        === The only entry of an object goes
        {
          "a": {
        «    "b": 1
        →»  }
        }
        === An object goes with all in it
        {
          "a": 1,
        «  "b": {
            // about c
            "c": 2, // c

            "d": { "e": 3 }
          },
        →»  "f": 4
        }
        === An object goes at the end
        {
          "a": 1«,
          "b": {
            "c": 2
          }→»
        }
        === An array over several lines goes
        {
        «  "a": [
            1, // one
            2
          ],
        →»  "b": 3
        }
        === An entry over two lines goes
        {
        «  "a":
            1,
        →»  "b": 2
        }
        === All entries go
        {
        «  "a": 1,
          "b": 2
        →»}
        === Two entries go from the middle
        {
          "a": 1,
        «  "b": 2,
          "c": 3,
        →»  "d": 4
        }
        === Every second entry goes
        {
        «  "a": 1,
        →»  "b": 2,
        «  "c": 3,
        →»  "d": 4
        }
        === The last two entries go
        {
          "a": 1«,
          "b": 2,
          "c": 3→»
        }
        === The last two entries go, and the trailing comma stays
        {
          "a": 1,
        «  "b": 2,
          "c": 3,
        →»}
        === The only entry goes from one line
        { "a": {« "b": 1→~» }, "c": 2 }
        === The first entry goes from one line
        { «"a": 1, →~»"b": 2 }
        === An entry goes from the middle of one line
        { "a": 1, «"b": 2, →~»"c": 3 }
        === The last entry goes from one line
        { "a": 1«, "b": 2→~» }
        === The first entry goes from a minified file
        {«"a":1,→~»"b":2,"c":3}
        === The middle entry goes from a minified file
        {"a":1,«"b":2,→~»"c":3}
        === The last entry goes from a minified file
        {"a":1,"b":2«,"c":3→~»}
        === The only entry goes from a minified file
        {«"a":1→~»}
        === The last entry goes from one line with a trailing comma
        { "a": 1,« "b": 2,→~» }
        === An entry goes that shares its line
        {
          "a": 1, «"b": 2,→~»
          "c": 3
        }
        === An entry goes in front of one on its line
        {
          «"a": 1, →~»"b": 2,
          "c": 3
        }
        === The comment behind it goes
        {
        «  "a": 1, // one
        →»  "b": 2 // two
        }
        === The comment behind the last entry goes
        {
          "a": 1«,→» // one
        «  "b": 2 // two
        →»}
        === The block comment behind it goes
        {
        «  "a": 1, /* one */
        →»  "b": 2
        }
        === The comment between the value and the comma goes
        {
        «  "a": 1 /* one */,
        →»  "b": 2
        }
        === Comments between the key and the comma go
        {
          "a": 1,
        «  "b" /* key */ : /* value */ 2 /* comma */, // end
        →»  "c": 3
        }
        === A comment on a line of its own between key and value goes
        {
        «  "a":
            // the value
            1,
        →»  "b": 2
        }
        === A comment on a line of its own above it stays
        {
          // one
        «  "a": 1,
        →»  // two
          "b": 2
        }
        === A comment on a line of its own above the last entry stays
        {
          "a": 1«,→»
          // two
        «  "b": 2
        →»}
        === A comment on a line of its own below it stays
        {
        «  "a": 1,
        →»  // below
          "b": 2
        }
        === A comment at the end of the object stays
        {
          "a": 1«,
          "b": 2→»
          // the end
        }
        === A block comment over several lines above it stays
        {
          /* one
             of many */
        «  "a": 1,
        →»  "b": 2
        }
        === Comments stay in an object without entries
        {
          // first
        «  "a": 1, // one
        →»  // second
        }
        === A comment behind the brace stays
        { // The settings
        «  "a": 1,
        →»  "b": 2
        }
        === Blank lines stay
        {
          "a": 1,

        «  "b": 2,
        →»
          "c": 3
        }
        === Blank lines stay below the last entry
        {
          "a": 1«,
          "b": 2→»

        }
        === Commas at the beginnings of lines, the last
        { "a": 1
        , "b": 2«
        , "c": 3→~»
        }
        === Commas at the beginnings of lines, the middle
        { "a": 1
        «, "b": 2
        →~», "c": 3
        }
        === Commas at the beginnings of lines, the first
        { «"a": 1
        , →~»"b": 2
        , "c": 3
        }
        === The last entry goes with the brace on its line
        {
          "a": 1«,
          "b": 2→~» }
        === The last entry goes with its comment in front of the brace
        {
          "a": 1«,
          "b": 2 /* two */→~» }
        === An entry goes that is behind the brace
        { «"a": 1,
          →~»"b": 2
        }
        === A secret goes
        {
        «  "password": "hunter2", // of the door
        →»  "user": "x"
        }
        === One of two forms of the same letter goes
        {
        «  "Ⓔ": 1,
        →»  "é": 2
        }
        === One of a key with a dot and a nested one goes
        {
          "a": { "b": 1 }«,
          "a.b": 2→»
        }
        === An entry goes and one comes at its place
        {
          "a": 1,
        «  "b": 2,→~  "c": 2,»
          "d": 3
        }
        === An entry goes and one comes elsewhere
        {
        «  "a": 1,
        →»  "b": 2,
          "c": 3«→,
          "d": 4»
        }
        === One value changes and the next entry goes
        {
          "a": «1→2», // one
        «  "b": 2, // two
        →»  "c": 3
        }
        === An entry goes from a nested object on one line
        {
          "a": { "b": 1, «"c": 2, →~»"d": 3 }, // a
          "e": 4
        }
        === Spaces before the comma of the one that is last now
        {
          "a": 1,
          "b": 2« ,
          "c": 3→~»
        }
        === An entry without indentation goes
        {
        "a": 1,
        «"b": 2,
        →»"c": 3
        }
        === A trailing comma on a line of its own
        {
          "a": 1,
        «  "b": 2
          ,
        →»}
        """#)
}
