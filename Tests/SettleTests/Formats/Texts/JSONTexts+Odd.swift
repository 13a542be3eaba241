import Settle

/// Whole files as one finds them, in which several things happen at once.
extension JSONTexts {
    static let odd = MarkedText.table(
        .json,
        #"""
        === An editor's settings
        // Place your settings in this file to overwrite the default settings
        {
            "editor.fontSize": «13→14», // bigger
            "editor.rulers": [80, 120],
            "files.exclude": {
                "**/.git": true,
                "**/*.o": «true→false»
            },
            // "window.zoomLevel": 2,
            "workbench.colorTheme": "Dark+"
        }
        === A terminal's settings
        {
            "$schema": "https://example.com/terminal.json",

            "defaultProfile": "{61c54bbd-c2c6-5271-96e7-009a87ff44bf}",
            "profiles":
            {
                // Applies to all
                "defaults":
                {
                    "fontSize": «12→11», // pt
                    // "fontFace": "Mono",
                    "opacity": 0.90
                },
                "list":
                [
                    { "name": "sh" }
                ]
            },

            // Keys
            "actions": [
                { "keys": "ctrl+c", "command": "copy" },
            ]«→,
            "theme": "dark"»
        }
        === A package's settings
        {
          "name": "example",
          "version": «"1.0.0"→"1.0.1"»,
          "private": true,
          "scripts": {
            "test": "node test.js", "build": «"make"→"make all"»
          },
          "files": []
        }
        === A compiler's settings
        {
        ⇥"compilerOptions": {
        ⇥⇥/* Basic */
        ⇥⇥// "incremental": true, /* Faster */
        ⇥⇥"target": «"es5"→"es2020"», /* The version */
        ⇥⇥"module": "commonjs", /* The modules */
        ⇥⇥// "lib": [],
        ⇥⇥"strict": true /* All checks */
        ⇥}
        }
        === A game's settings
        {"volume":0.50,
         "keys":{"up":"w","down":«"s"→"x"»},
         "seen":[1,2,3],
         "name":"ü"}
        === A passcode's settings
        {
          // Ask again after this time.
          "checkInterval": 60.0,

          "passcode": {
            "attempts": «3→4», // Don't touch
            "isEnabled": true
          },
        «  "old": true, // no longer read
        →»  "version": 2
        }
        === Everything at once
        // Settings
        {
        «→  "a": 1,
        »  // two
          "b": «2→20», // of two
        «  "c": 3, // three
        →»
          // four
          "d": {
            "e": 5,
        «    "f": 6,
        →»    "g": «[ 7, ]→[]»
          },
        «→  "e": 8,
        »  "h": 9,
        }
        === Two objects of the same names
        {
          "a": { "x": 1, "y": «2→3» },
          "b": { "x": «1→2», "y": 2 }
        }
        === An object becomes empty and another one gets an entry
        {
          "a": {
        «    "x": 1
        →»  },
          "b": {
            "x": 1«→,
            "y": 2»
          }
        }
        === Objects of different layouts
        {
          "a": { "x": 1«→, "y": 2» },
          "b": {
            "x": 1,
        «→    "y": 2,
        »  },
          "c": {
                "x": 1«→,
                "y": 2»
            }
        }
        === A number in a long array of one line stays
        {
          "list": [0, 1.0, 1e0, "x"],
          "n": «1→1.0»
        }
        """#)
}
