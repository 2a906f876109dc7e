package shop

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// maxBody bounds a request body in bytes; the largest honest one, an order of 100 lines, is 5 kB.
const maxBody = 64 << 10

// reply is what an action answers: a status and a value to send as JSON.
type reply struct {
	status int
	body   any
}

// refusal is an error of the client: a status and a reason that holds nothing of the request.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func refuse(status int, reason string) error { return &refusal{status, reason} }

// errEmptyBody is returned by decode when there is no body at all.
var errEmptyBody = refuse(http.StatusBadRequest, "the body is empty")

// missing reports whether a query found no row.
func missing(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// found turns a query without a row into a 404 with the given reason.
func found(err error, reason string) error {
	if missing(err) {
		return refuse(http.StatusNotFound, reason)
	}
	return err
}

// decode reads one JSON value from the body into v; anything else is a 400.
func decode(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "the body is larger than 64 KiB")
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "the body ended early")
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return errEmptyBody
	}
	// The decoder's own message would quote the body.
	if json.Unmarshal(body, v) != nil {
		return refuse(http.StatusBadRequest, "the body is not the JSON that this path takes")
	}
	return nil
}

// answering makes a handler of an action. An error that is no refusal answers 503 when the shop has no
// data to serve from, else 500, and tells no more than that.
func answering(action func(*http.Request) (reply, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		answer, err := action(r)
		if err != nil {
			answer = failure(err)
		}
		send(w, answer)
	}
}

func failure(err error) reply {
	status, reason := http.StatusInternalServerError, "internal error"
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		status, reason = refused.status, refused.reason
	} else if errors.Is(err, ErrClosed) || errors.Is(err, errDown) {
		status, reason = http.StatusServiceUnavailable, "the shop has no data"
	}
	return reply{status, struct {
		Error string `json:"error"`
	}{reason}}
}

func send(w http.ResponseWriter, answer reply) {
	body, err := json.Marshal(answer.body)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	body = append(body, '\n')
	header := w.Header()
	header["Content-Type"] = jsonType
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.status)
	w.Write(body) // a client that has gone is its own loss
}

// jsonType is shared by all responses; net/http only reads it.
var jsonType = []string{"application/json"}
