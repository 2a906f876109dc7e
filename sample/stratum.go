package sample

import (
	"cmp"
	"slices"
	"strings"

	"reprise/anonymize/trace"
)

// NoHour is the Hour of a stratum that is not by hour.
const NoHour = -1 << 63

// Stratum is a class of records that are sampled together. Fields that Options.By does not name are at
// NoHour, empty or zero.
type Stratum struct {
	Hour     int64  // hours since the Unix epoch, or 0 to 23 by hour of day
	Endpoint string // path template
	Method   string
	Class    uint8 // first digit of the status, 0 when no response was logged
}

const hourMicroseconds = 3_600_000_000

// strata puts records into strata.
type strata struct {
	hour, ofDay, endpoint, method, status bool
}

func newStrata(by []Dimension) strata {
	has := func(d Dimension) bool { return slices.Contains(by, d) }
	return strata{has(ByHour), has(ByHourOfDay), has(ByEndpoint), has(ByMethod), has(ByStatus)}
}

// of is the stratum of r. Hours round down, before the epoch too.
func (s strata) of(r *trace.Record) Stratum {
	v := Stratum{Hour: NoHour}
	if s.hour || s.ofDay {
		v.Hour = r.Start / hourMicroseconds
		if r.Start%hourMicroseconds < 0 {
			v.Hour--
		}
		if s.ofDay {
			v.Hour = ((v.Hour % 24) + 24) % 24
		}
	}
	if s.endpoint {
		v.Endpoint = r.Endpoint
	}
	if s.method {
		v.Method = r.Method
	}
	if s.status {
		v.Class = uint8(min(r.Status/100, 9))
	}
	return v
}

// compare orders strata by hour, endpoint, method and class.
func (s Stratum) compare(o Stratum) int {
	return cmp.Or(
		cmp.Compare(s.Hour, o.Hour),
		strings.Compare(s.Endpoint, o.Endpoint),
		strings.Compare(s.Method, o.Method),
		cmp.Compare(s.Class, o.Class),
	)
}
