// Package plan holds the plan file: every arrival of a replay in intended order, each with the request
// to send. A plan says what is offered and when; it never depends on the target.
package plan
