# A client in Perl's LWP.
use strict;
use warnings;
use HTTP::Request;
use JSON::PP;
use LWP::UserAgent;

my ($verb, $url, $token, $tag, $body) = @ARGV;
$| = 1;
my $client = LWP::UserAgent->new(timeout => 600);
my $request = HTTP::Request->new($verb eq "write" ? "PATCH" : "GET", $url, [Authorization => "Bearer $token"]);
if ($verb eq "read") {
    my $answer = $client->request($request);
    print encode_json([$answer->code + 0, $answer->header("ETag"), $answer->content]), "\n";
} elsif ($verb eq "write") {
    $request->header("If-Match" => $tag, "Content-Type" => "application/json");
    $request->content($body);
    print $client->request($request)->code, "\n";
} else {
    $client->request($request, sub { print $_[0] }, 4096);
}
