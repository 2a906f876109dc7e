package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"reprise/anonymize/recordfile"
	"reprise/ingest/source"
)

// misread says what a file that fits no log format looks like, and what helps; both are empty when the file
// tells nothing. It looks at the beginning only and repeats nothing of it.
func misread(name string) (what, fix string) {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", "" // what was read of a pipe is gone, and opening it again would wait for another writer
	}
	if what, fix = recordKind(name); what != "" {
		return what, fix
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

// recordKind recognises files of our own.
func recordKind(name string) (what, fix string) {
	f, err := openFile(name)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	r, err := recordfile.NewReader(f, "trace", "sample", "plan", "timeline", "requests")
	if err != nil {
		return "", ""
	}
	defer r.Close()
	kind := r.Header().Kind
	next := map[string]string{"trace": "reprise sample " + name + " --fraction 0.1 -o S.sample.zst",
		"sample": "reprise schedule " + name + " -o P.plan.zst", "plan": "reprise replay " + name + " --target http://127.0.0.1:8080 -o runs"}
	if fix = next[kind]; fix == "" {
		fix = "zstdcat " + name + " | jq ."
	}
	return "it is a " + kind + " file of reprise, not a log", fix
}
