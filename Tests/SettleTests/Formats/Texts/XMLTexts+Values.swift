import Settle

/// Property lists in which values change, or none do.
extension XMLTexts {
    static let values = MarkedText.table(
        .propertyListXML,
        #"""
        === Nothing changes in a tool's file
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        ⇥<key>a</key>
        ⇥<integer>1</integer>
        </dict>
        </plist>
        === Nothing changes in a file of odd spellings
        <plist>
        <dict>
          <key>b</key><integer> +0x1F </integer>
          <key>a</key>  <real>1</real>
          <key>c</key><true></true><key>d</key><false />
          <key>e</key><data>
            AQ
            ID
          </data>
          <key>f</key><string/>
          <key>g</key><array/><key>h</key><dict/>
          <key>i</key><string>&#65;&lt;&quot;</string>
        </dict>
        </plist>
        === Nothing changes on one line
        <plist version="1.0"><dict><key>b</key><true/><key>a</key><dict><key>c</key><true/></dict></dict></plist>
        === An integer changes
        <plist version="1.0">
        <dict>
        ⇥<key>a</key>
        ⇥«<integer>1</integer>→<integer>2</integer>»
        ⇥<key>b</key>
        ⇥<integer>+1</integer>
        </dict>
        </plist>
        === A hexadecimal number changes
        <plist><dict><key>a</key>«<integer>0x10</integer>→<integer>17</integer>»</dict></plist>
        === A real changes
        <plist><dict><key>a</key> «<real>1</real>→<real>1.5</real>» <key>b</key> <real>1</real></dict></plist>
        === A real becomes an integer of the same size
        <plist><dict><key>a</key>«<real>1.0</real>→<integer>1</integer>»</dict></plist>
        === A string changes
        <plist>
        <dict>
            <key>name</key>   «<string>one</string>→<string>two</string>»
            <key>other</key>  <string>one</string>
        </dict>
        </plist>
        === A string with entities changes
        <plist><dict><key>a</key>«<string>&#65;</string>→<string>B &amp; C</string>»</dict></plist>
        === A string of a CDATA section changes
        <plist><dict><key>a</key>«<string><![CDATA[<x>]]></string>→<string>&lt;y&gt;</string>»</dict></plist>
        === A CDATA section that looks like an entry stays
        <plist><dict><key>a</key><string><![CDATA[</string><key>b</key>]]></string><key>b</key>«<true/>→<false/>»</dict></plist>
        === An entity for each letter stays
        <plist><dict><key>&#x61;</key>«<true/>→<false/>»<key>&amp;</key><string>&apos;</string></dict></plist>
        === A key in a CDATA section stays
        <plist><dict><key><![CDATA[<a>]]></key>«<true/>→<false/>»</dict></plist>
        === A comment within a string goes with its value
        <plist><dict><key>a</key>«<string>x<!-- y -->z</string>→<string>z</string>»</dict></plist>
        === A comment within a key stays
        <plist><dict><key>a<!-- not b --></key>«<true/>→<false/>»</dict></plist>
        === An empty element becomes a full one
        <plist><dict><key>a</key>«<string/>→<string>x</string>»<key>b</key><string></string></dict></plist>
        === An open word changes
        <plist><dict><key>a</key>«<true></true>→<false/>»<key>b</key><true ></true ></dict></plist>
        === A date changes
        <plist><dict><key>a</key>«<date>2001-01-01T00:00:00Z</date>→<date>2001-01-01T00:00:01Z</date>»</dict></plist>
        === Data change
        <plist><dict><key>a</key>«<data>
        AQID
        </data>→<data>AQIE</data>»<key>b</key><data> AQ ID </data></dict></plist>
        === A null is a string
        <plist><dict><key>a</key>«<string>$null</string>→<string>$$null</string>»</dict></plist>
        === An array is replaced as a whole
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥«<array>
        ⇥⇥<!-- one -->
        ⇥⇥<integer>1</integer>
        ⇥</array>→<array/>»
        ⇥<key>b</key>
        ⇥<array>
        ⇥</array>
        </dict>
        </plist>
        === An empty array gets an element
        <plist><dict><key>a</key>«<array/>→~<array><true/></array>»<key>b</key><array/></dict></plist>
        === A number becomes a dictionary
        <plist><dict><key>a</key>«<integer>1</integer>→~<dict><key>b</key><true/></dict>»</dict></plist>
        === A dictionary becomes a number
        <plist>
        <dict>
          <key>a</key>
          «<dict>
            <!-- b -->
            <key>b</key><true/>
          </dict>→<integer>1</integer>»
          <!-- the end -->
        </dict>
        </plist>
        === A value changes within a dictionary
        <plist>
        <dict>
          <key>window</key>
          <dict>
            <key>width</key> «<integer>800</integer>→<integer>1024</integer>»
            <key>height</key> <integer>600</integer>
          </dict>
        </dict>
        </plist>
        === A value changes far down on one line
        <plist><dict><key>a</key><dict><key>b</key><dict><key>c</key>«<true/>→<false/>»</dict></dict></dict></plist>
        === An empty dictionary gets an entry
        <plist><dict><key>a</key>«<dict/>→~<dict><key>b</key><true/></dict>»</dict></plist>
        === Comments at every place
        <!-- 1 -->
        <plist version="1.0"> <!-- 2 -->
        <!-- 3 -->
        <dict> <!-- 4 -->
          <!-- 5 -->
          <key>a</key> <!-- 6 -->
          <!-- 7 -->
          «<true/>→<false/>» <!-- 8 -->
          <!-- 9 -->
          <key>b</key><!-- 10 --><true/><!-- 11 -->
        </dict> <!-- 12 -->
        </plist> <!-- 13 -->
        <!-- 14 -->
        === Comments with tags in them
        <plist><dict><!-- <key>a</key><true/> --><key>a</key><!-- </dict> -->«<true/>→<false/>»</dict></plist>
        === A processing instruction stays
        <?xml version="1.0"?><?xml-stylesheet href="x.css"?>
        <plist><dict><?x y?><key>a</key>«<true/>→<false/>»</dict></plist>
        === Attributes of the root stay
        <?xml version='1.0' encoding='utf-8' standalone='no'?>
        <!DOCTYPE plist SYSTEM "file://localhost/System/Library/DTDs/PropertyList.dtd">
        <plist  version = '0.9'  xmlns="x" >
        <dict >
          <key >a</key >
          «<integer >1</integer >→<integer>2</integer>»
        </dict >
        </plist >
        === Blank lines and spaces at the ends of lines
        <plist>··

        <dict>··

          <key>a</key>··
          «<true/>→<false/>»··


          <key>b</key>⇥
          <true/>

        </dict>

        </plist>··
        === A string over several lines changes
        <plist><dict><key>a</key>«<string>one
        two</string>→<string>three</string>»</dict></plist>
        === A string over several lines stays
        <plist><dict><key>a</key><string>one
          two
        </string><key>b</key>«<true/>→<false/>»</dict></plist>
        === Keys with dots, of no letters, and in other scripts
        <plist><dict>
        <key>a.b</key>«<true/>→<false/>»
        <key></key>«<true/>→<false/>»
        <key>größe 😀</key>«<true/>→<false/>»
        </dict></plist>
        === An empty key element
        <plist><dict><key/>«<true/>→<false/>»</dict></plist>
        === Two forms of the same letter are two keys
        <plist><dict><key>é</key>«<true/>→<false/>»<key>Ⓔ</key><true/></dict></plist>
        === A string of white space only
        <plist><dict><key>a</key><string>  </string><key>b</key>«<string> </string>→<string></string>»</dict></plist>
        === Numbers beyond 64 bits
        <plist><dict><key>a</key><integer>0099999999999999999999</integer><key>b</key>«<integer>1</integer>→<integer>99999999999999999999</integer>»</dict></plist>
        === Reals that are no numbers
        <plist><dict><key>a</key><real>nan</real><key>b</key><real>-INF</real><key>c</key>«<real>inf</real>→<real>-infinity</real>»</dict></plist>
        """#)
}
