import Settle

/// Property lists that get or lose entries.
extension XMLTexts {
    static let changes = MarkedText.table(
        .propertyListXML,
        #"""
        === A new first entry of a sorted dictionary
        <plist>
        <dict>
        «→~⇥<key>a</key>
        ⇥<true/>
        »⇥<key>b</key>
        ⇥<true/>
        </dict>
        </plist>
        === A new first entry, each on one line
        <plist>
        <dict>
        «→~  <key>a</key><true/>
        »  <key>b</key><true/>
        </dict>
        </plist>
        === A new entry in the middle of a sorted dictionary
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥<true/>
        «→~⇥<key>b</key>
        ⇥<true/>
        »⇥<key>c</key>
        ⇥<true/>
        </dict>
        </plist>
        === A new last entry
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥<true/>
        «→~⇥<key>b</key>
        ⇥<integer>2</integer>
        »</dict>
        </plist>
        === The first entry, between brackets with spaces
        <plist>
        <dict >
        «→~⇥<key>a</key>
        ⇥<true/>
        »</dict >
        </plist>
        === A new entry of a dictionary in any order
        <plist>
        <dict>
          <key>c</key> <true/>
          <key>a</key> <true/>
        «→~  <key>b</key> <true/>
        »</dict>
        </plist>
        === A new entry within a dictionary
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥<dict>
        ⇥⇥<key>b</key>
        ⇥⇥<true/>
        «→~⇥⇥<key>c</key>
        ⇥⇥<true/>
        »⇥</dict>
        </dict>
        </plist>
        === A new entry on one line
        <plist><dict><key>a</key><true/>«→~<key>b</key><true/>»</dict></plist>
        === A new entry in front on one line
        <plist><dict>«→~<key>a</key><true/>»<key>b</key><true/></dict></plist>
        === A new entry behind a comment on the same line
        <plist>
        <dict>
          <key>a</key><true/> <!-- a -->
        «→~  <key>b</key><true/>
        »</dict>
        </plist>
        === A new entry above the comment of the first
        <plist>
        <dict>
        «→~  <key>a</key><true/>
        »  <!-- b -->
          <key>b</key><true/>
        </dict>
        </plist>
        === A new entry below a header
        <plist>
        <dict>
          <!-- The settings -->

        «→~  <key>a</key><true/>
        »  <key>b</key><true/>
        </dict>
        </plist>
        === A new entry above a comment at the end
        <plist>
        <dict>
          <key>a</key><true/>
        «→~  <key>b</key><true/>
        »  <!-- the end -->
        </dict>
        </plist>
        === A new entry in an empty file
        <plist version="1.0">«<dict/>→~<dict><key>a</key><true/></dict>»</plist>
        === A new entry in an open dictionary without any
        <plist version="1.0"><dict>«→~<key>a</key><true/>»</dict></plist>
        === A new entry with letters that must be escaped
        <plist>
        <dict>
          <key>a</key><true/>
        «→~  <key>b&lt;&amp;</key><string>&gt;</string>
        »</dict>
        </plist>
        === The first entry goes
        <plist>
        <dict>
        «⇥<key>a</key>
        ⇥<true/>
        →»⇥<key>b</key>
        ⇥<true/>
        </dict>
        </plist>
        === An entry in the middle goes
        <plist>
        <dict>
          <key>a</key> <true/>
        «  <key>b</key> <true/>
        →»  <key>c</key> <true/>
        </dict>
        </plist>
        === The last entry goes
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥<true/>
        «⇥<key>b</key>
        ⇥<array>
        ⇥⇥<true/>
        ⇥</array>
        →»</dict>
        </plist>
        === The only entry goes
        <plist>
        <dict>
        «⇥<key>a</key>
        ⇥<true/>
        →»</dict>
        </plist>
        === The only entry of a dictionary goes
        <plist>
        <dict>
        ⇥<key>a</key>
        ⇥<dict>
        «⇥⇥<key>b</key>
        ⇥⇥<true/>
        →»⇥</dict>
        </dict>
        </plist>
        === All entries go
        <plist>
        <dict>
        «  <key>a</key><true/>
          <key>b</key><true/>
        →»</dict>
        </plist>
        === An entry goes from one line
        <plist><dict><key>a</key><true/>«<key>b</key><true/>→»<key>c</key><true/></dict></plist>
        === The last entry goes from one line
        <plist><dict><key>a</key><true/>«<key>b</key><true/>→»</dict></plist>
        === The only entry goes from one line
        <plist><dict>«<key>a</key><true/>→»</dict></plist>
        === An entry goes that shares its line
        <plist>
        <dict>
          <key>a</key><true/>« <key>b</key><true/>→~»
          <key>c</key><true/>
        </dict>
        </plist>
        === The comment behind it goes
        <plist>
        <dict>
        «  <key>a</key><true/> <!-- a -->
        →»  <key>b</key><true/> <!-- b -->
        </dict>
        </plist>
        === The comment between the key and the value goes
        <plist>
        <dict>
        «  <key>a</key> <!-- a -->
          <!-- more -->
          <true/>
        →»  <key>b</key> <true/>
        </dict>
        </plist>
        === A comment on a line of its own above it stays
        <plist>
        <dict>
          <!-- a -->
        «  <key>a</key><true/>
        →»  <!-- b -->
          <key>b</key><true/>
        </dict>
        </plist>
        === A comment at the end stays
        <plist>
        <dict>
          <key>a</key><true/>
        «  <key>b</key><true/>
        →»  <!-- the end -->
        </dict>
        </plist>
        === Comments stay in a dictionary without entries
        <plist>
        <dict>
          <!-- first -->
        «  <key>a</key><true/> <!-- a -->
        →»  <!-- second -->
        </dict>
        </plist>
        === Blank lines stay
        <plist>
        <dict>
          <key>a</key><true/>

        «  <key>b</key><true/>
        →»
          <key>c</key><true/>
        </dict>
        </plist>
        === An entry goes and a value changes
        <plist>
        <dict>
        «  <key>a</key><true/>
        →»  <key>b</key>«<true/>→<false/>» <!-- b -->
        </dict>
        </plist>
        === An entry goes and another comes
        <plist>
        <dict>
        «⇥<key>a</key>
        ⇥<true/>
        →»⇥<key>b</key>
        ⇥<true/>
        «→~⇥<key>c</key>
        ⇥<true/>
        »</dict>
        </plist>
        === A processing instruction behind it
        <plist>
        <dict>
          <key>a</key><true/>
          <?x y?>
        «  <key>b</key><true/>
        →»</dict>
        </plist>
        === A dictionary goes with all in it
        <plist>
        <dict>
        «  <key>a</key>
          <dict>
            <!-- b -->
            <key>b</key><true/>
          </dict> <!-- a -->
        →»  <key>c</key><true/>
        </dict>
        </plist>
        === A multi-line string goes
        <plist>
        <dict>
        «  <key>a</key><string>one
        two</string>
        →»  <key>b</key><true/>
        </dict>
        </plist>
        """#)
}
