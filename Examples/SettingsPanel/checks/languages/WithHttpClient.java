import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** A client in Java's java.net.http. */
public class WithHttpClient {
    public static void main(String[] arguments) throws Exception {
        var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        var request = HttpRequest.newBuilder(URI.create(arguments[1])).header("Authorization", "Bearer " + arguments[2]);
        if (arguments[0].equals("write")) {
            request.header("If-Match", arguments[3]).header("Content-Type", "application/json");
            request.method("PATCH", HttpRequest.BodyPublishers.ofString(arguments[4]));
            System.out.println(client.send(request.build(), BodyHandlers.discarding()).statusCode());
        } else if (arguments[0].equals("read")) {
            var answer = client.send(request.build(), BodyHandlers.ofString());
            var tag = answer.headers().firstValue("ETag").orElse("");
            System.out.println("[" + answer.statusCode() + "," + quoted(tag) + "," + quoted(answer.body()) + "]");
        } else {
            client.send(request.build(), BodyHandlers.ofLines()).body().forEach(System.out::println);
        }
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
