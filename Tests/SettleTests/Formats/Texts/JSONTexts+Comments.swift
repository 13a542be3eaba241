import Settle

/// Files with comments in every place, in which values change.
extension JSONTexts {
    static let comments = MarkedText.table(
        .json,
        #"""
        === A header
        // The settings of an example.
        // Edit them as you like.
        {
          "a": «1→2»
        }
        === A header in a block
        /*
         * The settings of an example.
         * "a": 1
         */
        {
          "a": «1→2»
        }
        === A comment behind the end
        {
          "a": «1→2»
        }
        // The end
        === Comments on the lines of the braces
        { // begin
          "a": «1→2»
        } // end
        === A comment in front of the brace
        /* begin */ { "a": «1→2» } /* end */
        === A comment behind the value
        {
          "a": «1→2», // one
          "b": 2 // two
        }
        === A comment behind the last value
        {
          "a": 1,
          "b": «2→3» // two
        }
        === A comment between the value and the comma
        {
          "a": «1→2» /* one */ ,
          "b": «2→3»/* two */,
          "c": 3
        }
        === A comment between the key and the colon
        { "a" /* key */ : «1→2» }
        === A comment between the colon and the value
        { "a": /* value */ «1→2» }
        === A comment right at the value
        {"a":/*value*/«1→2»/*comma*/,"b":2}
        === A comment in front of the key
        {
          /* key */ "a": «1→2»,
          /* key */ "b": 2
        }
        === Comments at every place on several lines
        // 1
        { // 2
          // 3
          "a" // 4
            // 5
            : // 6
            // 7
            «1→2» // 8
            // 9
            , // 10
          // 11
          "b": 2 // 12
          // 13
        } // 14
        // 15
        === Comments at every place on one line
        /*1*/{/*2*/"a"/*3*/:/*4*/«1→2»/*5*/,/*6*/"b"/*7*/:/*8*/2/*9*/}/*10*/
        === A line comment ends the line of the value
        {
          "a": // the value
            «1→2»
        }
        === A comment that says what the settings say
        {
          // "a": 1,
          "a": «1→2» // "a": 1
        }
        === Commented-out settings
        {
          // "z": 1,
          "a": «1→2»,
          // "b": { "c": 1 },
          "d": 2
          // "e": 3
        }
        === Comments with braces and quotation marks
        {
          // } ] "
          "a": «1→2», // { [ "
          /* "," : */ "b": 2
        }
        === A comment with stars and slashes
        {
          /***/ "a": «1→2», /**/ "b": 1, /* // */ "c": 1, // /*
          "d": «2→3» /* * / */
          //**//
        }
        === Quotation marks that open nothing
        {
          // don't
          "a": «"don't"→"do"», // "
          "b": "//" // "b"
        }
        === A trailing comma stays where a value changes
        {
          "a": «1→2»,
        }
        === Trailing commas in objects and arrays
        {
          "a": [ 1, 2, ],
          "b": { "c": «1→2», },
          "d": [ { "e": 1, }, ],
        }
        === A comment behind a trailing comma
        {
          "a": «1→2», // last
        }
        === A trailing comma behind a comment
        {
          "a": «1→2» // last
          ,
        }
        === Comments within an array that stays
        {
          "a": [ // numbers
            1, // one
            // between
            2
          ], // a
          "b": «1→2»
        }
        === Comments in an array that changes go with it
        {
          "a": «[ // numbers
            1 // one
          ]→[]», // a
          "b": 1
        }
        === Comments in an object that is entered stay
        {
          "a": { // a
            // b
            "b": «1→2» /* one */
            // the end of a
          }, // behind a
          "c": 1
        }
        === Comments in an empty object stay
        {
          "a": { /* nothing */ },
          "b": «1→2»
        }
        === Comments in an object that becomes a number go
        {
          // a
          "a": «{ /* nothing */ }→1», // behind a
          "b": 1
        }
        === Comments in other scripts
        {
          // größer → 😀, サイズ
          "a": «1→2», // é
          "b": 2 /* ü */
        }
        === Comments without anything in them
        {
          //
          "a": «1→2», //
          /**/
          "b": 1
        }
        === Tabs and spaces behind comments
        {··
          // one··
          "a": «1→2», // two⇥
          "b": 1⇥// three·
        }
        === Block comments over several lines behind values
        {
          "a": «1→2», /* one
                     and more */
          "b": 2
        }
        === Two comments behind a value
        {
          "a": «1→2», /* one */ // more
          "b": 2
        }
        === A decorated section
        {
          // ------------------------------------------------------------
          // Window
          // ------------------------------------------------------------
          "height": «600→768»,
          "width": 800,

          // ------------------------------------------------------------
          // Zoom
          // ------------------------------------------------------------
          "zoom": 1.50
        }
        === A licence and nothing changes
        /* Licence */

        // Settings
        {
          "a": 1, /* one */ "b": 2, // two

          // three
          "c": [ /* none */ ],
          "d": { /* none */ },
        }

        // End
        === A modeline of an editor
        // -*- mode: jsonc -*-
        { "$schema": "https://example.com/schema.json", "a": «true→false» }
        // vim: ft=jsonc
        """#)
}
