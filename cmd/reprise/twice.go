package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"reprise/anonymize/recordfile"
)

// refuseOwn refuses a log that is a record file of ours, from the beginning of its text. Mapped a second time, one user
// would have another pseudonym than in all else that was made with the key.
func refuseOwn(name string, head []byte) error {
	if head = bytes.TrimLeft(head, " \t\r\n"); !bytes.HasPrefix(head, []byte("{")) {
		return nil
	}
	var h recordfile.Header
	if err := json.NewDecoder(bytes.NewReader(head)).Decode(&h); err != nil || h.Version == 0 || !strings.HasPrefix(h.Tool, "reprise ") {
		return nil //nolint:nilerr // what is no header is for the log formats to judge
	}
	arg := quoted(name)
	if name == "-" {
		name = "stdin"
	}
	next := map[string]string{"trace": "reprise sample %s --fraction 0.1 -o S.sample.zst", "sample": "reprise schedule %s -o P.plan.zst",
		"plan": "reprise replay %s --target http://127.0.0.1:8080 -o runs"}[h.Kind]
	if next == "" {
		return &failure{code: "FILE-KIND", exit: exitInput, what: fmt.Sprintf("%s is a %s file of reprise, not a log", name, h.Kind), fix: "name the access logs only, such as access.log*"}
	}
	what := fmt.Sprintf("%s is a %s of reprise, already pseudonymised by key %s", name, h.Kind, h.KeyID)
	if h.KeyID == "" {
		what = fmt.Sprintf("%s is a %s of reprise, made without a log", name, h.Kind)
	}
	return &failure{code: "ANON-TWICE", exit: exitUsage, what: what, why: "it holds no raw values; mapped again, its users would have other pseudonyms than with the same key elsewhere",
		fix: fmt.Sprintf(next, arg)}
}
