package plan

import (
	"encoding/json"
	"errors"
	"fmt"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
)

// Terms say what a plan was made of. They are the options of its header, and what a summary tells as
// configured.
type Terms struct {
	arrival.Terms
	Source     string  `json:"source"`             // "trace", or the name of a scenario
	OfferedRPS float64 `json:"offered_rps"`        // arrivals over the duration
	PeakSecond int64   `json:"peak_second"`        // arrivals in the fullest second
	Fano1s     float64 `json:"fano_1s"`            // index of dispersion of the per-second counts; 0 = too short to say
	Writes     bool    `json:"writes"`             // holds requests with side effects that will be sent
	DataSet    string  `json:"data_set,omitempty"` // digest of the catalogue that ids were bound to, or of the scenario's data
	// RecoveryWindowSeconds follow the duration at the scenario's plain rate.
	RecoveryWindowSeconds float64 `json:"recovery_window_seconds,omitempty"`
	// WarmupSeconds and TimeoutMS are a scenario's own; 0 where the replay decides.
	WarmupSeconds float64 `json:"warmup_seconds,omitempty"`
	TimeoutMS     float64 `json:"timeout_ms,omitempty"`
}

// Describe takes over the shape of the arrivals.
func (t *Terms) Describe(s arrival.Shape) {
	t.OfferedRPS, t.PeakSecond, t.Fano1s = s.Rate, s.PeakSecond, s.IDC["1"]
}

// Options are the terms as a header holds them.
func (t Terms) Options() (map[string]any, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("terms of the plan: %w", err)
	}
	var m map[string]any
	return m, json.Unmarshal(text, &m)
}

// TermsOf reads the terms out of a plan's header.
func TermsOf(h recordfile.Header) (Terms, error) {
	var t Terms
	text, err := json.Marshal(h.Options)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil {
		return t, fmt.Errorf("options of the plan's header: %w", err)
	}
	return t, t.validate()
}

// maxSeconds bounds the lengths that a plan can name: a leap year.
const maxSeconds = 366 * 86400

func (t *Terms) validate() error {
	for _, v := range []struct {
		name        string
		value, most float64
	}{
		{"duration_seconds", t.DurationSeconds, maxSeconds}, {"recovery_window_seconds", t.RecoveryWindowSeconds, maxSeconds},
		{"warmup_seconds", t.WarmupSeconds, 3600}, {"timeout_ms", t.TimeoutMS, 3.6e6},
		{"offered_rps", t.OfferedRPS, 1e9}, {"rate", t.Rate, 1e9}, {"fano_1s", t.Fano1s, 1e12}, {"peak_second", float64(t.PeakSecond), 1e12},
	} {
		if !(v.value >= 0 && v.value <= v.most) {
			return fmt.Errorf("options of the plan's header: %s is outside 0..%g", v.name, v.most)
		}
	}
	if t.DurationSeconds == 0 {
		return errors.New("options of the plan's header: duration_seconds is missing")
	}
	return nil
}
