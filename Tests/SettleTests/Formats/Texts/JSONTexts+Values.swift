import Settle

/// Files in which values change, or none do.
extension JSONTexts {
    static let values = MarkedText.table(
        .json,
        #"""
        === Nothing changes in a sorted file
        {
          "a": 1,
          "b": "two"
        }
        === Nothing changes in a file in any order
        {
          "zoom": 1.50,
          "alpha": 1E+2,
          "Beta": [ 1,2 ,3 ],
          "m": { "y": null , "x": true }
        }
        === Nothing changes in a minified file
        {"b":1,"a":{"d":[1,2],"c":{}},"e":[]}
        === Nothing changes in a file of odd spaces
        ·{··"a"·:⇥1·,
        ⇥"b"··:2··}··
        === Nothing changes in odd numbers
        {
          "a": 1.0, "b": 1e3, "c": 1E+2, "d": -0, "e": 0.10, "f": 100000000000000000000000,
          "g": 1e400, "h": -0.0e-7, "i": 1.7976931348623157e308, "j": 0e5
        }
        === Nothing changes in odd strings
        {
          "a": "\u0041\/\u00e9\ud83d\ude00", "b": "\b\f\n\r\t\"\\", "c": "é😀", "d": "", "\u0065": 1
        }
        === An integer changes
        {
          "a": «1→2»,
          "b": 1.0
        }
        === A negative integer gets a positive one
        {"a":«-12→7»}
        === A real changes to another
        { "a": «0.10→0.25», "b": 0.10 }
        === A real becomes an integer of the same size
        { "a": «1.0→1», "b": 1.0 }
        === An integer becomes a real of the same size
        { "a": «1→1.0», "b": 1 }
        === An exponent changes
        { "a": «1E+2→2.5», "b": 1E+2 }
        === A zero gets its sign
        { "a": «0.0→-0.0», "b": 0.0 }
        === A string changes
        {
            "name": «"one"→"two"»,
            "other": "one"
        }
        === A string with escapes changes
        { "a": «"\u0041\/"→"B"», "b": "\u0041\/" }
        === A string changes to one that must be escaped
        { "a": «"x"→"\"\\\n"», "b": "\u0022" }
        === A string becomes empty
        { "a": «"x"→""» }
        === A string becomes one of other letters
        { "a": «"Grün"→"Größe 😀"» }
        === The other form of the same letter is another string
        { "a": «"é"→"Ⓔ"» }
        === A word changes
        { "a": «true→false», "b": «false→true», "c": «null→true», "d": «true→null» }
        === A number becomes a string and back
        { "a": «1→"1"», "b": «"1"→1» }
        === A large number changes
        { "a": «100000000000000000000000→100000000000000000000001» }
        === Several values change on one line
        { "a": «1→10», "b": 2, "c": «3→30», "d": 4 }
        === The first value changes
        {
          "a": «1→2»,
          "b": 1,
          "c": 1
        }
        === The last value changes
        {
          "a": 1,
          "b": 1,
          "c": «1→2»
        }
        === A value changes in a file in any order
        {
          "zoom": 1,
          "alpha": «2→3»,
          "Beta": 3
        }
        === Spaces around the colon stay
        {
          "a"  :  «1→2»  ,
          "b":«1→2»,
          "c" :⇥«1→2»
        }
        === A value on a line of its own
        {
          "a":
            «1→2»,
          "b":
            2
        }
        === A value whose colon is on the next line
        {
          "a"
            : «1→2»
        }
        === Aligned columns stay as they are
        {
          "a"   : «1→1000»,
          "long":  2,
          "b"   :   3
        }
        === A value changes in a minified file
        {"a":1,"b":«2→3»,"c":{"d":«4→5»}}
        === A value changes within an object
        {
          "window": {
            "width": «800→1024»,
            "height": 600
          },
          "width": 800
        }
        === A value changes three levels down
        {
          "a": {
            "b": {
              "c": «true→false»
            }
          }
        }
        === A value changes far down on one line
        {"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":«1→2»}}}}}}}}
        === Values change on several levels
        {
        ⇥"a": «1→2»,
        ⇥"b": {
        ⇥⇥"a": «1→3»,
        ⇥⇥"b": { "a": «1→4» }
        ⇥}
        }
        === A key with dots is one name
        {
          "a.b": «1→2»,
          "a": { "b": 1 }
        }
        === A key with a backslash and a quotation mark
        { "a\\b\"": «1→2», "a\\.b": 1 }
        === An escaped key keeps its spelling
        { "\u0061\/b": «1→2», "\u0062": 1 }
        === Keys in other scripts
        { "größe": «1→2», "サイズ": «3→4», "😀": 5 }
        === Two forms of the same letter are two keys
        { "é": «1→2», "Ⓔ": 1 }
        === An empty key
        { "": «1→2» }
        === The key says the same as the value
        { "a": «"a"→"b"», "b": "a" }
        === An array is replaced as a whole
        { "a": «[ 1, 2,3 ]→~[1,2]», "b": [ 1, 2,3 ] }
        === An array over several lines is replaced as a whole
        {
          "a": «[
            1, // one
            2
          ]→~[3]»,
          "b": [
            1
          ]
        }
        === An array becomes empty
        {
          "a": «[1, 2]→[]»,
          "b": 1
        }
        === An array gets its first element
        { "a": «[ ]→~["x"]», "b": [ ] }
        === An array of objects in which one value differs
        {
          "a": «[ { "b": 1 }, { "b": 2 } ]→~[{"b":1},{"b":3}]»
        }
        === An array with a comment that stays the same
        {
          "a": [ 1, /* one */ 2, ], // two
          "b": «1→2»
        }
        === A number becomes an array
        { "a": «1→~[1]», "b": 1 }
        === A number becomes an object
        { "a": «1→~{"b":1}», "b": 1 }
        === An object becomes a number
        {
          "a": «{
            "b": 1 // one
          }→1», // two
          "c": 1
        }
        === An object becomes a string on one line
        { "a": «{ "b": 1, "c": [1] }→"x"», "b": { } }
        === An object becomes an array
        { "a": «{ "b": 1 }→[]» }
        === An empty object becomes a number
        { "a": «{ }→1», "b": { } }
        === A number becomes an empty object
        {
          "a": «1→{}»,
          "b": {}
        }
        === An empty array becomes an empty object
        { "a": «[ ]→{}» }
        === A string that looks like a comment
        { "a": "// no", "b": "/* no */", "c": «"// one"→"// two"», "d": "http://example.com/*" }
        === A string that looks like JSON
        { "a": "{ \"a\": 1, }", "b": «"{\"a\":1}"→"{\"a\":2}"», "c": ",}" }
        === A string that ends with a backslash
        { "a": "C:\\", "b": «"D:\\"→"E:\\"», "c": "\\\"" }
        === Blank lines as sections
        {

          "a": 1,


          "b": «2→3»,

          "c": 3

        }
        === Spaces at the ends of lines
        {··
          "a": «1→2»,··
          "b": 2··
        }··
        === A brace on its own line
        {
          "a":
          {
            "b": «1→2»
          },
          "c":
          {
          }
        }
        === Mixed indentation
        {
          "a": «1→2»,
        ⇥"b": «1→2»,
              "c": 1,
        "d": 1
        }
        === No indentation
        {
        "a": «1→2»,
        "b": {
        "c": «1→2»
        }
        }
        === Commas at the beginnings of lines
        { "a": «1→2»
        , "b": 2
        , "c": «3→4»
        }
        === White space around the settings


          { "a": «1→2» }


        === Mixed line ends
        {␍
          "a": «1→2»,
          "b": 2␍
        }␍
        === A secret of many letters becomes short
        { "a": «"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"→"b"», "c": 1 }
        === A value that is the beginning of the next
        { "a": «1→12», "b": 12, "c": «12→1», "d": 1 }
        === Values are exchanged
        { "a": «1→2», "b": «2→1» }
        """#)
}
