package replay_test

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// rank is the nearest-rank quantile of exact values.
func rank(sorted []int64, p float64) time.Duration {
	return time.Duration(sorted[int(math.Ceil(p*float64(len(sorted))-1e-9))-1])
}

// The exact oracle of coordinated omission: one server of 1 ms, 100 requests/s for 20 s, frozen from 10 s to 11 s.
func TestFrozenServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newSlots(1, time.Millisecond)
		server.freeze = [2]time.Duration{10 * time.Second, 11 * time.Second}
		totals, l := run(t.Context(), t, at(every(10*time.Millisecond, 2000)...), server, replay.Options{Timeout: 5 * time.Second})
		responses := make([]int64, 0, len(l))
		var sum int64
		slow := 0
		for _, o := range l {
			if o.Lag() != 0 || o.Wait() != 0 {
				t.Fatalf("request %d has lag %d and wait %d in virtual time", o.Seq, o.Lag(), o.Wait())
			}
			responses = append(responses, o.Response())
			sum += o.Response()
			if o.Response() > int64(time.Millisecond) {
				slow++
			}
		}
		slices.Sort(responses)
		if len(responses) != 2000 || slow != 112 || sum != 29_028_0*200_000 {
			t.Errorf("n %d, above 1 ms %d, sum %d; want 2000, 112, mean 29.0280 ms", len(responses), slow, sum)
		}
		h := totals.Latency.Response
		for _, c := range []struct {
			p    float64
			want time.Duration
		}{{.5, time.Millisecond}, {.95, 101 * time.Millisecond}, {.99, 821 * time.Millisecond}, {.999, 983 * time.Millisecond}, {1, 1001 * time.Millisecond}} {
			if got := rank(responses, c.p); got != c.want {
				t.Errorf("exact p%g = %v, want %v", c.p*100, got, c.want)
			}
			if got := h.Quantile(c.p); math.Abs(float64(got-c.want)) > .001*float64(c.want) {
				t.Errorf("histogram p%g = %v, want %v within 0.1 %%", c.p*100, got, c.want)
			}
		}
		if got := h.Mean(); got != 29028*time.Microsecond {
			t.Errorf("mean %v, want 29.028 ms", got)
		}
		if ok, why := totals.Valid(); !ok {
			t.Errorf("a frozen server does not make the run invalid: %v", why)
		}
	})
}

// Every response of the engine equals the FCFS recursion on the schedule.
func TestEveryResponseFollowsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const service = 25 * time.Millisecond
		var instants []time.Duration
		now := 0.0
		state := uint64(1)
		for len(instants) < 5000 { // exponential gaps at 112/s, rounded to the plan's microseconds
			state = state*6364136223846793005 + 1442695040888963407
			now += -math.Log((float64(state>>11)+.5)/(1<<53)) / 112
			instants = append(instants, time.Duration(now*1e6)*time.Microsecond)
		}
		_, l := run(t.Context(), t, at(instants...), newSlots(4, service), replay.Options{})
		oracle := newSlots(4, service)
		for i, o := range l.bySeq() {
			if want := oracle.next(int64(instants[i])) - int64(instants[i]); o.Response() != want || o.Kind != result.Completed {
				t.Fatalf("request %d: response %d, %v, want %d", i, o.Response(), o.Kind, want)
			}
		}
	})
}

// Eight workers on four slots of 25 ms: 160 requests/s and 50 ms each, by Little's law.
func TestClosedLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l log
		totals, err := replay.RunClosed(t.Context(), at(0, 0, 0), newSlots(4, 25*time.Millisecond), &l,
			replay.ClosedOptions{Workers: 8, Duration: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		fast := 0
		for _, o := range l {
			switch o.Response() {
			case int64(25 * time.Millisecond): // the first of each slot
				fast++
			case int64(50 * time.Millisecond):
			default:
				t.Fatalf("request %d took %v", o.Seq, time.Duration(o.Response()))
			}
		}
		if fast != 4 || totals.MaxInFlight != 8 {
			t.Errorf("%d of 25 ms, %d in flight; want 4 and 8", fast, totals.MaxInFlight)
		}
		// 4 per 25 ms, up to those started before the end and finished after it.
		if n := totals.Ledger.Kinds[result.Completed]; n != 1604 || totals.Ledger.Arrivals != n {
			t.Errorf("completed %d, want 1604", n)
		}
		if p := totals.Latency.Response.Percentiles(); p.P99 != 50 || p.P50 != 50 {
			t.Errorf("percentiles %+v, want 50 ms", p)
		}
	})
}

// A freeze of 1.5 s: eight requests are open in every second of it, also in the one without a start or an end.
func TestInFlightDuringAFreeze(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newSlots(8, 25*time.Millisecond)
		server.freeze = [2]time.Duration{1900 * time.Millisecond, 3400 * time.Millisecond}
		totals, err := replay.RunClosed(t.Context(), at(0), server, nil, replay.ClosedOptions{Workers: 8, Duration: 5 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		// Rounds of eight every 25 ms: at 0 .. 1.9 s, then from 3.425 s on.
		want := []replay.Second{
			{Planned: 320, Started: 320, Ended: 312, InFlight: 8},
			{Planned: 296, Started: 296, Ended: 296, InFlight: 8},
			{InFlight: 8},
			{Planned: 184, Started: 184, Ended: 184, InFlight: 8},
			{Planned: 320, Started: 320, Ended: 320, InFlight: 8},
			{Ended: 8, InFlight: 8},
		}
		if !slices.Equal(totals.Seconds, want) {
			t.Errorf("seconds %+v\nwant    %+v", totals.Seconds, want)
		}
		totals, _ = run(t.Context(), t, at(900*time.Millisecond, 950*time.Millisecond), newSlots(2, 3*time.Second), replay.Options{})
		want = []replay.Second{{Planned: 2, Started: 2, InFlight: 2}, {InFlight: 2}, {InFlight: 2}, {Ended: 2, InFlight: 2}}
		if !slices.Equal(totals.Seconds, want) {
			t.Errorf("open loop: seconds %+v\nwant    %+v", totals.Seconds, want)
		}
	})
}

// The same server in both loops: overload times out in the open one and is invisible in the closed one.
func TestOpenOverloadClosedCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		totals, _ := run(t.Context(), t, at(every(4*time.Millisecond, 1500)...), newSlots(4, 25*time.Millisecond),
			replay.Options{Timeout: 500 * time.Millisecond})
		l := &totals.Ledger
		if l.Arrivals != 1500 || l.Started != 1500 || l.Kinds[result.TimedOut] < 1000 {
			t.Errorf("ledger %+v: most requests must time out", l)
		}
		if totals.MaxInFlight < 120 || totals.MaxInFlight > 127 {
			t.Errorf("%d in flight, want near 250/s x 500 ms = 125", totals.MaxInFlight)
		}
		if got := totals.Latency.Response.Quantile(.99); got != 500*time.Millisecond {
			t.Errorf("p99 %v, want the timeout", got)
		}
		if ok, why := totals.Valid(); !ok {
			t.Errorf("an overloaded target does not make the run invalid: %v", why)
		}
	})
}

// An absolute schedule does not drift, however long it is.
func TestNoDriftInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := run(t.Context(), t, at(every(100*time.Millisecond, 36_000)...), newSlots(64, 3*time.Millisecond), replay.Options{Timeout: time.Second})
		for _, o := range l {
			if o.Dispatched != o.Intended {
				t.Fatalf("request %d was dispatched %d ns late", o.Seq, o.Lag())
			}
		}
	})
}
