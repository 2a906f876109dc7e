package synth_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"reprise/sample/synth"
)

// wire parses the request from the bytes that would be sent.
func wire(t *testing.T, r *synth.Request) *http.Request {
	t.Helper()
	text := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: shop\r\n%s", r.Method, r.Target, r.Header)
	if r.Body != nil {
		text += fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", r.Type, len(r.Body))
	}
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text + "\r\n" + string(r.Body))))
	if err != nil {
		t.Fatal(err)
	}
	return req
}
