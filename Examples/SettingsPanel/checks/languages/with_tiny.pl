# A client in Perl's HTTP::Tiny.
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;

my ($verb, $url, $token, $tag, $body) = @ARGV;
$| = 1;
my %headers = (Authorization => "Bearer $token");
my $client = HTTP::Tiny->new(timeout => 600);
if ($verb eq "read") {
    my $answer = $client->get($url, { headers => \%headers });
    print encode_json([$answer->{status} + 0, $answer->{headers}{etag}, $answer->{content}]), "\n";
} elsif ($verb eq "write") {
    my %more = ("If-Match" => $tag, "Content-Type" => "application/json");
    print $client->request("PATCH", $url, { headers => { %headers, %more }, content => $body })->{status}, "\n";
} else {
    $client->get($url, { headers => \%headers, data_callback => sub { print $_[0] } });
}
