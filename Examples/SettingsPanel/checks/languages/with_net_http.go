// A client in Go's net/http.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	verb, url, token := os.Args[1], os.Args[2], os.Args[3]
	method, body := "GET", ""
	if verb == "write" {
		method, body = "PATCH", os.Args[5]
	}
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if verb == "write" {
		request.Header.Set("If-Match", os.Args[4])
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	switch verb {
	case "write":
		fmt.Println(answer.StatusCode)
	case "read":
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			panic(err)
		}
		json.NewEncoder(os.Stdout).Encode([]any{answer.StatusCode, answer.Header.Get("ETag"), string(text)})
	default:
		io.Copy(os.Stdout, answer.Body)
	}
}
