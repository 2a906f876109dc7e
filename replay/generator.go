package replay

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"

	"reprise/replay/result"
)

// gauge watches the generator itself during a run.
type gauge struct {
	start   time.Time
	cpu     time.Duration
	machine time.Duration
	samples []metrics.Sample
	files   int64
	quit    chan struct{}
	ended   chan struct{}
}

const (
	schedLatency = "/sched/latencies:seconds"
	gcPauses     = "/sched/pauses/total/gc:seconds"
)

func startGauge() *gauge {
	g := &gauge{start: time.Now(), cpu: processCPU(), machine: machineCPU(), samples: schedule(), quit: make(chan struct{}), ended: make(chan struct{})}
	go g.watch()
	return g
}

// watch keeps the largest number of open files, looking once a second.
func (g *gauge) watch() {
	defer close(g.ended)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		g.files = max(g.files, openFiles())
		select {
		case <-tick.C:
		case <-g.quit:
			return
		}
	}
}

func (g *gauge) stop() result.Generator {
	close(g.quit)
	<-g.ended
	cores := runtime.GOMAXPROCS(0)
	now := schedule()
	out := result.Generator{
		Cores: cores, FDsMax: g.files, Go: runtime.Version(),
		SchedP99MS:   1000 * quantileSince(g.samples[0], now[0], .99),
		GCPauseMaxMS: 1000 * quantileSince(g.samples[1], now[1], 1),
	}
	if wall := time.Since(g.start); wall > 0 {
		own, all := processCPU()-g.cpu, machineCPU()-g.machine
		out.CPU = math.Round(float64(own)/float64(wall)/float64(cores)*1e4) / 1e4
		out.OthersCPU = math.Round(float64(max(all-own, 0))/float64(wall)*1e2) / 1e2
	}
	return out
}

func schedule() []metrics.Sample {
	s := []metrics.Sample{{Name: schedLatency}, {Name: gcPauses}}
	metrics.Read(s)
	return s
}

// quantileSince is the upper bound, in seconds, of the bucket that holds the quantile p of what was added to a
// runtime histogram between two readings. It is 0 when nothing was.
func quantileSince(before, after metrics.Sample, p float64) float64 {
	if before.Value.Kind() != metrics.KindFloat64Histogram || after.Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	a, b := before.Value.Float64Histogram(), after.Value.Float64Histogram()
	var total uint64
	for i := range b.Counts {
		total += b.Counts[i] - a.Counts[i]
	}
	rank := uint64(math.Ceil(p * float64(total)))
	var seen uint64
	for i := range b.Counts {
		seen += b.Counts[i] - a.Counts[i]
		if rank > 0 && seen >= rank {
			if bound := b.Buckets[i+1]; !math.IsInf(bound, 0) {
				return bound
			}
			return b.Buckets[i]
		}
	}
	return 0
}
