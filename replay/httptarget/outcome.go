package httptarget

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"reprise/replay"
	"reprise/replay/result"
)

// errDeadline says that a request's time is over; errAborted that the run is.
var (
	errDeadline = errors.New("deadline passed")
	errAborted  = errors.New("aborted")
)

// inTime is err, or errDeadline when the exchange ended at or after its shot's deadline: whether the watchdog
// noticed before the answer, or before the error, must not decide what a run counts.
func inTime(s *replay.Shot, end int64, err error) error {
	if end >= s.Deadline {
		return errDeadline
	}
	return err
}

// classify names the end of an exchange that brought no whole response. phase is what a timeout cut.
func classify(err error, phase result.Cause) (result.Kind, result.Cause) {
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.Is(err, errAborted):
		return result.InFlight, result.CauseAborted
	case errors.Is(err, errAgain):
		return result.Failed, result.CauseReset
	case errors.Is(err, errDeadline), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return result.TimedOut, phase
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return result.Failed, result.CausePorts
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return result.Failed, result.CauseFiles
	case errors.As(err, &record), errors.As(err, &verify), errors.As(err, &alert), errors.As(err, &unknown):
		return result.Failed, result.CauseTLS
	case errors.As(err, &dns):
		return result.Failed, result.CauseDNS
	case phase == result.CauseConnect || phase == result.CauseTLS:
		return result.Failed, phase
	case errors.Is(err, ErrProtocol), errors.Is(err, io.ErrNoProgress):
		return result.Failed, result.CauseProtocol
	}
	return result.Failed, result.CauseReset
}

// rejects tells statuses that count as a rejection.
type rejects [1000]bool

func (r *rejects) kind(status uint16) result.Kind {
	if int(status) < len(r) && r[status] {
		return result.Rejected
	}
	return result.Completed
}
