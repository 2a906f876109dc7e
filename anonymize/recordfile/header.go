package recordfile

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Version is the major version of the container that this package writes and the only one it reads.
const Version = 1

// Header is the first line of a record file. It holds no wall-clock time, no host and no folder, so that
// equal inputs give equal bytes.
type Header struct {
	Kind    string         `json:"kind"`              // "trace", "sample", "plan", "timeline" or "requests"
	Version int            `json:"version"`           // major version of the kind's format
	Tool    string         `json:"tool"`              // such as "reprise 0.1.0"
	Seed    uint64         `json:"seed"`              // 0 where nothing was drawn
	KeyID   string         `json:"key_id,omitempty"`  // names the pseudonym key, tells nothing about it
	Inputs  []Input        `json:"inputs"`            // what the stage read
	Options map[string]any `json:"options,omitempty"` // effective options of the stage
	Lineage []Stage        `json:"lineage"`           // oldest stage first, this one last
}

// Input is one file that a stage read.
type Input struct {
	Name   string `json:"name"`   // base name
	SHA256 string `json:"sha256"` // hex, over the file's bytes
}

// Stage is one step of a file's history.
type Stage struct {
	Stage string `json:"stage"`         // command that ran
	In    int64  `json:"in"`            // records read
	Out   int64  `json:"out,omitempty"` // records written, where known before the file is written
}

// Trailer is the last line of a record file.
type Trailer struct {
	Records    int64           `json:"records"`               // lines between header and trailer
	SHA256     string          `json:"sha256"`                // hex, over the record lines and then the header, each with its newline
	PlanSHA256 string          `json:"plan_sha256,omitempty"` // plans: hex, over the arrival lines alone
	Details    json.RawMessage `json:"details,omitempty"`     // counts and diagnostics of the stage
}

// ErrTruncated says that a file ends before its trailer: it was cut, or is still being written.
var ErrTruncated = errors.New("the trailer is missing: the file was cut or never finished")

// ErrChecksum says that the lines are not those that were written.
var ErrChecksum = errors.New("the checksum differs: the file was changed or damaged")

// ErrForeign says that a file is none of ours.
var ErrForeign = errors.New("not a record file of reprise")

// KindError says that a file is of another kind, or of a version this tool cannot read.
type KindError struct {
	Want, Got string
	Version   int
}

func (e *KindError) Error() string {
	if e.Got == e.Want {
		return fmt.Sprintf("%s file has format version %d; this tool reads version %d", e.Got, e.Version, Version)
	}
	return fmt.Sprintf("this is a %s file, not a %s file", e.Got, e.Want)
}

// LineError places an error on a line of the uncompressed file; the header is line 1.
type LineError struct {
	Line int64
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }
