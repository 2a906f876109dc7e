package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"reprise/ingest/source"
)

// misread says what a file that fits no log format looks like, and what helps; both are empty when the file
// tells nothing. It looks at the beginning only and repeats nothing of it.
func misread(name string) (what, fix string) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", "" // what was read of a pipe is gone, and opening it again would wait for another writer
	}
	in, err := source.Open(name, source.Options{})
	if err != nil {
		return "", ""
	}
	defer in.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(in, head) // a short file is looked at as far as it goes
	text := strings.TrimLeft(string(head[:n]), " \t\r\n\ufeff")
	if strings.HasPrefix(strings.TrimLeft(text, "[ \t\r\n"), "{") {
		return "it looks like JSON whose keys no known format has; put its own keys for KEY, such as request.uri for one in another",
			"reprise inspect --json time=KEY,duration=KEY:ms,client=KEY,method=KEY,target=KEY,status=KEY " + quoted(name)
	}
	if n > 0 && bytes.IndexByte(head[:n], 0) >= 0 {
		return "it is no text", "name the access logs only, such as access.log*"
	}
	return "", ""
}
