# A client in Tcl, which knows only sockets and lines.
lassign $argv verb url token tag body
regexp {^http://([^/]+):(\d+)(/.*)$} $url all host port path
set connection [socket $host $port]
fconfigure $connection -translation crlf -encoding utf-8 -buffering none
set method [expr {$verb eq "write" ? "PATCH" : "GET"}]
puts $connection "$method $path HTTP/1.1\nHost: $host:$port\nAuthorization: Bearer $token\nConnection: close"
if {$verb eq "write"} {
    puts $connection "If-Match: $tag\nContent-Type: application/json\nContent-Length: [string length $body]\n"
    puts -nonewline $connection $body
} else {
    puts $connection ""
}
flush $connection
gets $connection line
set status [lindex $line 1]
set etag ""
while {[gets $connection line] > 0} {
    if {[string match -nocase "etag:*" $line]} { set etag [string trim [string range $line 5 end]] }
}
switch $verb {
    write { puts $status }
    read {
        set text [string map {\\ \\\\ \" \\\" \n \\n} [read $connection]]
        puts "\[$status, \"[string map {\" \\\"} $etag]\", \"$text\"\]"
    }
    default { while {[gets $connection line] >= 0} { puts $line; flush stdout } }
}
