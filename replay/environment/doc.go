// Package environment puts the system under test back into a known state before every run, and proves
// that it did.
//
// A Config lists steps: what to do (reset), what to wait for (ready), what to hash (fingerprint) and
// what to keep (metrics). A step runs a command or sends an HTTP request; it has a timeout and either
// succeeds or gives a StepError that says which step failed and how. Two runs are comparable when their
// fingerprints are equal; that a hook exited with 0 proves nothing.
//
//	reset:
//	  - exec: [./restore.sh, --fast]      # argv; no shell unless you write one
//	    timeout: 30s
//	  - http: {method: POST, url: "http://127.0.0.1:8080/reset", expect: 200}
//	ready:
//	  - http: http://127.0.0.1:8080/healthz
//	fingerprint:
//	  - http: http://127.0.0.1:8080/fingerprint
//	metrics: http://127.0.0.1:8080/metrics
//	targets: [staging.shop.internal]
//
// An environment that keeps no state says so with "exec: true" (or "exec: [true]"): a step that does
// nothing and succeeds. HTTP goes to loopback and to the hosts in targets, to nothing else; a redirect
// to another host is an error, and no proxy is used.
package environment
