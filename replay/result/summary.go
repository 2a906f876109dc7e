package result

// SummaryVersion is the version of summary.json's format. Fields are only ever added within a version.
const SummaryVersion = 1

// Summary is summary.json: what a run was told to do, what it did, and whether that can be trusted.
// Latencies are milliseconds. Absent percentiles are left out of their objects.
type Summary struct {
	Version         int     `json:"version"`
	Mode            string  `json:"mode"` // open or closed
	Scenario        string  `json:"scenario"`
	Seed            uint64  `json:"seed"`
	Rate            float64 `json:"rate"`             // configured, per second
	DurationSeconds float64 `json:"duration_seconds"` // configured
	// RecoveryWindowSeconds follow the duration at a scenario's plain rate (P2); they are part of the run.
	RecoveryWindowSeconds float64     `json:"recovery_window_seconds,omitempty"`
	TimeoutMS             float64     `json:"timeout_ms"`
	Offered               int64       `json:"offered"`
	Started               int64       `json:"started"`
	Completed             int64       `json:"completed"`
	TimedOut              int64       `json:"timed_out"`
	Rejected              int64       `json:"rejected"`
	RPSCompleted          float64     `json:"rps_completed"` // completed / wall_seconds
	MaxInFlight           int64       `json:"max_in_flight"` // observed
	LatencyMS             Percentiles `json:"latency_ms"`    // response: completed + timed out, from the intended instant
	Environment           string      `json:"environment"`   // os/arch goVERSION of the generator
	StartedAt             string      `json:"started_at"`    // RFC 3339, UTC

	ToolVersion       string           `json:"tool_version"`
	OfferedRPS        float64          `json:"offered_rps"` // offered / duration_seconds, also when the run was cut
	WallSeconds       float64          `json:"wall_seconds"`
	TargetEnvironment string           `json:"target_environment"` // fingerprint, or "unknown"
	TargetVersion     string           `json:"target_version"`
	Errors            Errors           `json:"errors"`
	Dropped           int64            `json:"dropped"`
	DroppedBy         map[string]int64 `json:"dropped_by,omitempty"` // cap, late
	Unsent            int64            `json:"unsent"`
	Withheld          int64            `json:"withheld"`
	WithheldBy        map[string]int64 `json:"withheld_by,omitempty"`
	Written           int64            `json:"written"`
	InFlightAtEnd     int64            `json:"in_flight_at_end"`
	Planned           int64            `json:"planned"` // arrivals of the plan
	Finished          int64            `json:"finished"`
	TimedOutBy        map[string]int64 `json:"timed_out_by,omitempty"` // by phase

	Latency            Latency          `json:"latency"`
	LatencyCompletedMS Percentiles      `json:"latency_completed_ms"`
	ServiceMS          Percentiles      `json:"service_ms"`  // done - sent, what naive tools report
	ServiceHDR         string           `json:"service_hdr"` // as Latency.HDR
	RejectedMS         Percentiles      `json:"rejected_ms"`
	ErrorsMS           Percentiles      `json:"errors_ms"`
	LagMS              Percentiles      `json:"dispatch_lag_ms"`
	WaitMS             Percentiles      `json:"wait_ms"`
	FirstByteMS        Percentiles      `json:"first_byte_ms"` // first byte - sent
	Status             map[string]int64 `json:"status"`
	StatusMatch        StatusMatchJSON  `json:"status_match"`
	Connections        Connections      `json:"connections"`
	Warmup             Warmup           `json:"warmup"`
	Endpoints          []Endpoint       `json:"endpoints"`
	Timeline           Timeline         `json:"timeline"`
	Arrivals           Arrivals         `json:"arrivals"`
	Generator          Generator        `json:"generator"`

	Limits         Limits            `json:"limits"`
	Valid          bool              `json:"valid"`
	InvalidReasons []string          `json:"invalid_reasons"`
	Warnings       []string          `json:"warnings"`
	ExitCode       int               `json:"exit_code"`
	Contract       map[string]string `json:"contract"` // what must match for two runs to be comparable
}

// Percentiles are nearest-rank percentiles in milliseconds. P99 and P999 are present even when n is too
// small for a claim; N says how many values there are.
type Percentiles struct {
	N    int64   `json:"n"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// Latency says what latency_ms is made of.
type Latency struct {
	Clock      string     `json:"clock"`      // intended
	Population string     `json:"population"` // completed+timed_out
	N          int64      `json:"n"`
	Censored   float64    `json:"censored"` // share that timed out: their true latency is longer
	P99CI95    [2]float64 `json:"p99_ci95"` // order statistics, a lower bound on the uncertainty; zero when n < 368
	HDR        string     `json:"hdr"`      // HdrHistogram V2 compressed, base64, microseconds
	Clipped    int64      `json:"clipped"`  // values outside 1 us .. 1 h, recorded at the limit
}

// Limits are the bounds within which the generator must stay for a run to be VALID.
type Limits struct {
	MaxLagMS   float64 `json:"max_lag_ms"`  // of the dispatch lag's p99; 5 % of the p99 response is allowed in any case
	MinStarted float64 `json:"min_started"` // least share of the offered requests that must be started
}

// Errors counts requests without a whole response.
type Errors struct {
	Total  int64            `json:"total"`
	ByKind map[string]int64 `json:"by_kind"`
}

// StatusMatchJSON compares statuses with those that production logged.
type StatusMatchJSON struct {
	Same      int64   `json:"same"`
	SameClass int64   `json:"same_class"`
	Other     int64   `json:"other"`
	Unknown   int64   `json:"unknown"`
	Share     float64 `json:"share"` // same / (same + same_class + other)
}

// Connections tells how requests met connections.
type Connections struct {
	Policy string `json:"policy"` // reuse, new, per-user
	Max    int    `json:"max"`    // --max-conns, 0 = no limit
	New    int64  `json:"new"`    // opened, whether or not a request came to use them
	Reused int64  `json:"reused"` // requests on a connection that had carried one before
	Slow   int64  `json:"slow"`   // dials that took 1 s or longer: the first SYN was not answered
}

// Warmup ran before t0 and is in no other number.
type Warmup struct {
	Seconds  float64 `json:"seconds"`
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
}

// Endpoint is the share of one method and path template; the last one may be the sum of all others.
type Endpoint struct {
	Method    string      `json:"method"`
	Template  string      `json:"template"`
	Offered   int64       `json:"offered"`
	Completed int64       `json:"completed"`
	TimedOut  int64       `json:"timed_out"`
	Rejected  int64       `json:"rejected"`
	Errors    int64       `json:"errors"`
	Dropped   int64       `json:"dropped"`
	LatencyMS Percentiles `json:"latency_ms"`
	ServiceMS Percentiles `json:"service_ms"`
}

// Timeline is the run by intended second; all lists have the same length.
type Timeline struct {
	BinSeconds  float64   `json:"bin_seconds"`
	Planned     []int64   `json:"planned"`
	Started     []int64   `json:"started"` // by the second of the dispatch
	Completed   []int64   `json:"completed"`
	TimedOut    []int64   `json:"timed_out"`
	Rejected    []int64   `json:"rejected"`
	Errors      []int64   `json:"errors"`
	Dropped     []int64   `json:"dropped"`
	Ended       []int64   `json:"ended"`         // started requests by the second of their end
	InFlightMax []int64   `json:"in_flight_max"` // by the second, what was open when it began included
	P50         []float64 `json:"p50"`
	P99         []float64 `json:"p99"`
	LagP99      []float64 `json:"lag_p99"`
}

// Arrivals says where the schedule came from and how bursty it is.
type Arrivals struct {
	Source     string   `json:"source"` // trace, P1, P2 or a scenario's name
	Model      string   `json:"model"`  // measured, poisson, constant, logged
	Speed      float64  `json:"speed"`
	PlanSHA256 string   `json:"plan_sha256"`
	KeyID      string   `json:"key_id,omitempty"`
	PeakSecond int64    `json:"peak_second"`
	Fano1s     *float64 `json:"fano_1s,omitempty"` // index of dispersion of the per-second counts
}

// Generator says whether reprise itself was the bottleneck.
type Generator struct {
	Cores        int     `json:"cores"`
	CPU          float64 `json:"cpu"`                  // share of GOMAXPROCS used during the run
	OthersCPU    float64 `json:"others_cpu,omitempty"` // cores that everything else on the machine used; absent when unknown or none
	GCPauseMaxMS float64 `json:"gc_pause_max_ms"`      // longest stop-the-world pause
	SchedP99MS   float64 `json:"sched_latency_p99_ms"` // time goroutines waited for a processor
	FDsMax       int64   `json:"fds_max"`
	Go           string  `json:"go"`
}
