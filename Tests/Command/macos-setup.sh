# A set-up script as people keep them for their Macs, with `defaults` being settle.
defaults write NSGlobalDomain AppleInterfaceStyle -string "Dark"
defaults write NSGlobalDomain AppleShowAllExtensions -bool true
defaults write NSGlobalDomain NSNavPanelExpandedStateForSaveMode -bool true
defaults write NSGlobalDomain KeyRepeat -int 2
defaults write .GlobalPreferences com.apple.trackpad.scaling -float 1.5
defaults write -g InitialKeyRepeat -int 15
defaults write -g NSWindowResizeTime -float 0.001
defaults write -g com.apple.springing.delay -float 0
defaults write -g "com.apple.mouse.scaling" -1
defaults write NSGlobalDomain AppleLanguages -array "en" "de"
defaults write NSGlobalDomain AppleLocale -string "en_GB@currency=EUR"
defaults write NSGlobalDomain AppleMetricUnits -bool YES
defaults write NSGlobalDomain NSUserDictionaryReplacementItems '({on=1;replace=omw;with="On my way!";},{on=0;replace=brb;with="Be right back";})'
defaults write com.apple.dock autohide -bool true
defaults write com.apple.dock autohide-delay -float 0.5
defaults write com.apple.dock tilesize -int 36
defaults write com.apple.dock orientation left
defaults write com.apple.dock persistent-apps -array
defaults write com.apple.dock persistent-apps -array-add '{tile-data={file-data={_CFURLString="/Applications/Safari.app";_CFURLStringType=0;};};}'
defaults write com.apple.dock persistent-apps -array-add '{tile-data={file-data={_CFURLString="/Applications/Mail.app";_CFURLStringType=0;};};}'
defaults write com.apple.dock persistent-others -array-add "<dict><key>tile-data</key><dict><key>file-data</key><dict><key>_CFURLString</key><string>/Users/carol/Downloads</string><key>_CFURLStringType</key><integer>0</integer></dict></dict><key>tile-type</key><string>directory-tile</string></dict>"
defaults write com.apple.symbolichotkeys AppleSymbolicHotKeys -dict-add 64 "<dict><key>enabled</key><false/><key>value</key><dict><key>parameters</key><array><integer>65535</integer><integer>49</integer></array></dict></dict>"
defaults write com.apple.dock wvous-tl-corner -int 2
defaults write com.apple.dock wvous-tl-modifier -integer 0
defaults write com.apple.dock unused -string gone
defaults delete com.apple.dock unused
defaults write com.apple.finder NewWindowTargetPath -string "file:///Users/carol/"
defaults write com.apple.finder ShowStatusBar -bool true
defaults write com.apple.finder FXInfoPanesExpanded -dict General -bool true OpenWith -bool true
defaults write com.apple.finder FXInfoPanesExpanded -dict-add Privileges -bool true General -bool false
defaults write com.apple.finder StandardViewSettings '{IconViewSettings={iconSize=64;gridSpacing="54";arrangeBy=grid;};}'
defaults write com.apple.finder Old -string "a b"
defaults rename com.apple.finder Old New
defaults write com.apple.finder Cancelled -string x
defaults delete com.apple.finder Cancelled || true
defaults write com.apple.Safari HomePage -string "about:blank"
defaults write com.apple.Safari IncludeDevelopMenu -boolean true
defaults write com.apple.Safari com.apple.Safari.ContentPageGroupIdentifier.WebKit2DeveloperExtrasEnabled -bool true
defaults write com.apple.Safari NSUserKeyEquivalents -dict-add "Close Other Tabs" "@~w"
defaults write com.apple.Safari LastUpdate -string "$(printf 'two\nlines')"
defaults write com.apple.Safari Unicode -string "Größe 🙂"
defaults write com.apple.Safari Escaped '"tab\tand \"quotes\""'
defaults write com.apple.Safari Big -int 9007199254740993
defaults write com.apple.Safari Negative -int -40
defaults write com.apple.Safari Flag TRUE
defaults write com.apple.Terminal '{ Default = Pro; "Window Settings" = { Pro = { rows = 24; }; }; }'
test "$(defaults read com.apple.dock tilesize)" = 36
test "$(defaults read-type com.apple.dock autohide)" = "Type is boolean"
test "$(defaults read NSGlobalDomain KeyRepeat)" = 2
! defaults read com.apple.dock nothing 2>/dev/null
test "$(defaults read com.apple.dock no.thing 2>&1)" = "The domain/default pair of (com.apple.dock, no.thing) does not exist"
defaults frobnicate 2>/dev/null || test $? = 255
defaults -currentHost write NSGlobalDomain com.apple.mouse.tapBehavior -int 1
test "$(defaults -currentHost read -g com.apple.mouse.tapBehavior)" = 1
if defaults read -g com.apple.mouse.tapBehavior 2>/dev/null; then exit 1; fi
if defaults read -app NoSuchApp key 2>/dev/null; then exit 1; fi
defaults export com.apple.dock - | defaults import "$HOME/copy" -
test "$(defaults read "$HOME/copy")" = "$(defaults read com.apple.dock)"
defaults find WebKit2 | grep "Found 1 keys in domain 'com.apple.Safari': {" >/dev/null
defaults help | grep "read-type" >/dev/null
defaults write "$HOME/typed.plist" since -date "2026-11-23 12:00:00 +0000"
defaults write "$HOME/typed" bytes -data 0102ff
defaults write "$HOME/typed" ratio -float 1.5; defaults write "$HOME/typed" on -bool true; defaults write "$HOME/typed" n -int 7
defaults domains | grep "com.apple.Safari, com.apple.Terminal, com.apple.dock, com.apple.finder, com.apple.symbolichotkeys" >/dev/null
