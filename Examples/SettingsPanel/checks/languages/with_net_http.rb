# A client in Ruby's net/http.
require "json"
require "net/http"

verb, url, token, tag, body = ARGV
$stdout.sync = true
address = URI(url)
headers = { "Authorization" => "Bearer #{token}" }
Net::HTTP.start(address.host, address.port, read_timeout: 600) do |connection|
  case verb
  when "read"
    answer = connection.get(address.path, headers)
    puts JSON.generate([answer.code.to_i, answer["ETag"], answer.body.force_encoding("UTF-8")])
  when "write"
    headers.update("If-Match" => tag, "Content-Type" => "application/json")
    puts connection.patch(address.path, body, headers).code
  else
    connection.request(Net::HTTP::Get.new(address.path, headers)) { |answer| answer.read_body { |piece| print piece } }
  end
end
