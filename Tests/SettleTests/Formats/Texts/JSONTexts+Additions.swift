import Settle

/// Files that get new entries.
extension JSONTexts {
    static let additions = MarkedText.table(
        .json,
        #"""
        === A new first entry of a sorted object
        {
        «→  "a": 1,
        »  "b": 2,
          "c": 3
        }
        === A new entry in the middle of a sorted object
        {
          "a": 1,
        «→  "b": 2,
        »  "c": 3
        }
        === A new last entry of a sorted object
        {
          "a": 1,
          "b": 2«→,
          "c": 3»
        }
        === A new last entry of a sorted object with a trailing comma
        {
          "a": 1,
          "b": 2,
        «→  "c": 3,
        »}
        === A new entry of an object in any order
        {
          "c": 3,
          "a": 1«→,
          "b": 2»
        }
        === A new entry of an object in any order with a trailing comma
        {
          "c": 3,
          "a": 1,
        «→  "b": 2,
        »}
        === One entry counts as sorted
        {
        «→  "a": 1,
        »  "b": 2
        }
        === A new entry behind the only one
        {
          "a": 1«→,
          "b": 2»
        }
        === Capital letters come before small ones
        {
          "B": 1,
        «→  "C": 3,
        »  "a": 2
        }
        === Letters with accents come after all others
        {
          "a": 1,
          "z": 2«→,
          "ä": 3»
        }
        === Sorted by their letters, not by their spelling
        {
          "\u0061": 1,
        «→  "b": 2,
        »  "c": 3
        }
        === A shorter key comes first
        {
          "a": 1,
        «→  "aa": 2,
        »  "aaa": 3
        }
        === A key with a dot
        {
          "a": 1,
        «→  "a.b": 2,
        »  "b": 3
        }
        === Several new entries of a sorted object
        {
        «→  "a": 1,
        »  "b": 2,
        «→  "c": 3,
        »  "d": 4«→,
          "e": 5»
        }
        === Two new entries at the same place
        {
          "a": 1,
        «→  "b": 2,
          "c": 3,
        »  "d": 4
        }
        === Two new entries behind the last
        {
          "b": 1,
          "a": 2«→,
          "c": 3,
          "d": 4»
        }
        === Indented by four spaces
        {
            "a": 1«→,
            "b": 2»
        }
        === Indented by a tab
        {
        ⇥"a": 1«→,
        ⇥"b": 2»
        }
        === Not indented
        {
        "a": 1«→,
        "b": 2»
        }
        === Within an object
        {
          "a": {
            "b": 1,
        «→    "c": 2,
        »    "d": 3
          },
          "e": 4
        }
        === Within an object of another indentation
        {
          "a": {
                "b": 1«→,
                "c": 2»
          }
        }
        === Within an object on one line
        {
          "a": { "b": 1«→, "c": 2» },
          "d": 4
        }
        === On one line, behind the last
        { "a": 1«→, "b": 2» }
        === On one line, in front of the first
        { «→"a": 1, »"b": 2 }
        === On one line, in the middle
        { "a": 1, «→"b": 2, »"c": 3 }
        === On one line with a trailing comma
        { "a": 1,«→ "b": 2,» }
        === On one line in any order
        { "b": 1, "a": 2«→, "c": 3» }
        === A new entry that is an empty object
        {
          "a": 1«→,
          "b": {}»
        }
        === A new entry that is an empty array
        {
          "a": 1«→,
          "b": []»
        }
        === A new entry that is an object
        {
          "a": 1«→~,
          "b": { "c": 2 }»
        }
        === A new entry that is an array
        {
          "a": 1,
        «→~  "b": [1, 2],
        »  "c": 3
        }
        === A new entry of an object in a new place
        {
          "a": { "x": 1«→, "y": 2» }«→,
          "b": 3»
        }
        === Behind a comment on the same line
        {
          "a": 1«→,» // one
        «→  "b": 2
        »}
        === Behind a comment between the value and the line end, with a trailing comma
        {
          "a": 1, // one
        «→  "b": 2,
        »}
        === In the middle, behind a comment on the same line
        {
          "a": 1, // one
        «→  "b": 2,
        »  "c": 3 // three
        }
        === Above the comments of the first entry
        {
        «→  "a": 1,
        »  // two
          "b": 2
        }
        === Above several comment lines of the first entry
        {
        «→  "a": 1,
        »  // two
          // of two
          "b": 2
        }
        === Above a block comment of the first entry
        {
        «→  "a": 1,
        »  /* two */
          "b": 2
        }
        === Behind the comments that a blank line parts from the first entry
        {
          // The settings

        «→  "a": 1,
        »  "b": 2
        }
        === Between the header and the comment of the first entry
        {
          // The settings

        «→  "a": 1,
        »  // two
          "b": 2
        }
        === Above the comment of the next entry
        {
          "a": 1,
        «→  "b": 2,
        »  // three
          "c": 3
        }
        === Above the section of the next entry
        {
          "a": 1,
        «→  "b": 2,
        »
          // three
          "c": 3
        }
        === Above a comment at the end of the object
        {
          "a": 1«→,
          "b": 2»
          // the end
        }
        === Above a commented-out setting at the end, with a trailing comma
        {
          "a": 1,
        «→  "b": 2,
        »  // "c": 3,
        }
        === Below a comment behind the brace
        { // The settings
        «→  "a": 1,
        »  "b": 2
        }
        === Blank lines stay below
        {
          "a": 1«→,
          "b": 2»

        }
        === Blank lines stay above
        {

        «→  "a": 1,
        »  "b": 2
        }
        === Behind a nested object
        {
          "a": {
            "b": 1
          }«→,
          "c": 2»
        }
        === Behind a nested object with a comment behind it
        {
          "a": {
            "b": 1
          }«→,» // a
        «→  "c": 2
        »}
        === In front of a nested object
        {
        «→  "a": 1,
        »  "b": {
            "c": 2
          }
        }
        === Where the first entry is on its own line and others share one
        {
          "a": 1,
          "b": 2, "c": 3«→,
          "d": 4»
        }
        === A new entry in an empty object on one line
        { "a": {«→~ "b": 1» }, "c": 2 }
        === A new entry in an empty file
        {«→~"a": 1»}
        === A new entry in an empty file with a line of its own
        {
        «→~  "a": 1
        »}
        === A new entry in an empty object with a comment
        {
          "a": {
            // nothing yet
        «→~    "b": 1
        »  }
        }
        === A changed value and a new entry
        {
          "a": «1→2», // one
        «→  "b": 2,
        »  "c": «3→4» // three
        }
        === A new entry behind an array over several lines
        {
          "a": [
            1
          ]«→,
          "b": 2»
        }
        === A new entry whose key must be escaped
        {
          "a": 1«→,
          "b\"\\\n": 2»
        }
        === Behind a block comment on the same line
        {
          "a": 1«→,» /* one */
        «→  "b": 2
        »}
        """#)
}
