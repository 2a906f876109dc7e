package ingest

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// knownOf returns the known format that a spec is about, behind its wrapper if it has one; nil for a format
// string.
func knownOf(spec string) *known {
	for i := range knownFormats {
		k := &knownFormats[i]
		if k.name == spec || strings.HasSuffix(spec, "+"+k.name) {
			return k
		}
	}
	return nil
}

// momentOf tells which moment of a request the time of a file's lines is, and why. StampAuto means that nothing
// tells.
func momentOf(spec string, format Format, given Stamp, lines []sampleLine) (s Stamp, why string) {
	if given != StampAuto {
		return given, "as told"
	}
	if k := knownOf(spec); k != nil && k.stamp != StampAuto {
		return k.stamp, "as its server writes it"
	}
	if s, ok := ownStamp(format); ok {
		return s, "as the format says"
	}
	return cues(format, lines)
}

// ownStamp tells which moment a format string logs.
func ownStamp(format Format) (Stamp, bool) {
	switch f := innermost(format).(type) {
	case *program:
		return f.stamp, true
	case *jsonFormat:
		return f.stamp, true
	}
	return StampAuto, false
}

// startDisorder is the disorder in nanoseconds from which lines are in the order of their ends and dated by
// their starts. nginx's buffered workers are at most a few seconds apart.
const startDisorder = 5e9

// cues tells from the marks that servers leave in the combined family which one wrote the lines, and so which
// moment the time is: nginx writes `\x22` and upper-case hex and the statuses 499 and 444, Apache `\"`,
// lower-case hex and "-" for no bytes, and its lines are dated by the start but stand in the order of the end.
func cues(format Format, lines []sampleLine) (Stamp, string) {
	var r Record
	var buf, own []byte
	nginx, apache := 0, 0
	var saysNginx, saysApache string
	latest, disorder := int64(math.MinInt64), int64(0)
	for i := range lines {
		line := &lines[i]
		if line.directive {
			continue
		}
		buf = append(buf[:0], line.text...)
		text := unframed(format, buf)
		own = append(own[:0], text...) // a frame's escapes are not the server's
		status := 0
		if v := format.Parse(text, &r); v.Reason == Accepted || v.Reason == NoRequest {
			latest = max(latest, r.Start)
			disorder = max(disorder, latest-r.Start)
			status = r.Status
		}
		if cue := nginxCue(own, status); cue != "" {
			nginx++
			saysNginx = cue
		} else if cue := apacheCue(own); cue != "" {
			apache++
			saysApache = cue
		}
	}
	switch {
	case nginx > apache:
		return StampEnd, "as nginx, which writes " + saysNginx
	case apache > nginx:
		return StampStart, "as Apache, which writes " + saysApache
	case disorder > startDisorder:
		_, why := startByDisorder(disorder)
		return StampStart, why
	}
	return StampAuto, "nothing tells, and no duration is logged"
}

// unframed returns what a line holds in the frames of a format. Escapes of the frames are undone in place.
func unframed(format Format, line []byte) []byte {
	for f, ok := format.(*wrapped); ok; f, ok = f.inner.(*wrapped) {
		if l, framed := f.frame.strip(line); framed {
			line = line[l.from:l.to]
		}
	}
	return line
}

// startByDisorder is what disorder in nanoseconds says about the stamp.
func startByDisorder(disorder int64) (stamp, why string) {
	return StampStart.String(), fmt.Sprintf("lines are up to %.0f s out of order, as Apache's", float64(disorder)/1e9)
}

func nginxCue(line []byte, status int) string {
	switch {
	case status == 499 || status == 444:
		return fmt.Sprintf("status %d", status)
	case bytes.Contains(line, []byte(`\x22`)), bytes.Contains(line, []byte(`\x5C`)):
		return `a quote or a backslash as \x22 or \x5C`
	}
	return ""
}

func apacheCue(line []byte) string {
	switch {
	case bytes.Contains(line, []byte(`\"`)):
		return `a quote as \"`
	case bytes.Contains(line, []byte(` - "`)) && bytes.Contains(line, []byte(`HTTP/`)):
		return `"-" for no bytes`
	}
	return ""
}
