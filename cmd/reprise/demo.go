package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
	"reprise/arrival"
	"reprise/replay"
	"reprise/replay/compare"
	"reprise/replay/environment"
	"reprise/replay/httptarget"
	"reprise/replay/shop"
	"reprise/sample"
	"reprise/testdata"
)

// The demo's size: the bundled peak of ten minutes in some 15 seconds, which with P1 at the same rate, the
// two loops against a stall and the resets stays under a minute.
const (
	demoSpeed   = 40
	demoTimeout = 5 * time.Second
	demoWarmup  = time.Second
	demoWorkers = 8
	stallAfter  = 2 * time.Second
	stallFor    = 1500 * time.Millisecond
	stallWindow = 8 * time.Second
	// The shop and the generator share the machine here, so a lag that would spoil a real rehearsal is let
	// pass; what is measured in the demo differs by far more.
	demoLag   = 50 * time.Millisecond
	demoTries = 2 // of a run that comes out INVALID
)

// demoFaults make the shop a machine with limits: four requests are served at a time, the others queue, and
// pages of products take their time. An open queue loses no request, so statuses stay those of the log.
var demoFaults = shop.FaultSpec{
	Slow:   []shop.Slow{{Endpoint: "GET /products/{id}", Latency: 8 * time.Millisecond}, {Endpoint: "GET /search", Latency: 15 * time.Millisecond}},
	Reject: &shop.Reject{Concurrency: 4, Queue: 100_000},
}

func (s *shell) demoCommand() *cli.Command {
	return &cli.Command{
		Name:  "demo",
		Usage: "the whole pipeline on a bundled log and shop, in under a minute; nothing leaves loopback",
		Description: `Starts the reference shop, then: log -> trace -> sample -> plan -> reset -> replay -> report, P1 on the same
shop at the same mean rate, the comparison, and the closed loop against the same stall. Everything it made
stays in the folder.

   reprise demo
   reprise demo -o demo-report`,
		OnUsageError: usageError,
		Flags:        []cli.Flag{outFlag("everything to this new folder; default: reprise-demo"), seedFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("USAGE", fmt.Sprintf("demo takes no argument, got %q", c.Args().First()), "reprise help demo")
			}
			dir := c.String("output")
			if dir == "" {
				dir = "reprise-demo"
			}
			if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrExist) {
				return usage("OUTPUT-EXISTS", dir+" exists", "choose another folder with -o, or remove it")
			} else if err != nil {
				return unwritable(dir, err)
			}
			return s.demo(c.Context, dir, c.Uint64("seed"))
		},
	}
}

// demonstration is the running demo.
type demonstration struct {
	*shell
	dir  string
	seed uint64
	shop *shop.Shop
	url  string
	o    runOptions
	p    prepared
	exit int // of the last run that stayed INVALID
}

func (s *shell) demo(ctx context.Context, dir string, seed uint64) error {
	sh, err := shop.Open(ctx, shop.Options{Seed: seed})
	if err != nil {
		return err
	}
	defer sh.Close()
	server, err := shop.Listen(ctx, "", sh.Handler(), shop.ListenOptions{})
	if err != nil {
		return &failure{code: "LISTEN", exit: exitEnvironment, what: err.Error()}
	}
	defer server.Close()
	d := &demonstration{shell: s, dir: dir, seed: seed, shop: sh, url: server.URL}
	// The key dies with the demo: nobody can undo its pseudonyms afterwards.
	private, err := os.MkdirTemp("", "reprise-demo-key-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	if err := d.lay(filepath.Join(private, "demo.key")); err != nil {
		return err
	}
	return d.perform(ctx)
}

// lay writes the demo's inputs and decides its options.
func (d *demonstration) lay(key string) error {
	if err := anonymize.NewKeyFile(key); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(d.dir, name) }
	for name, data := range map[string][]byte{"access.log.gz": testdata.ShopLog, "bind.yaml": testdata.ShopBind} {
		if err := os.WriteFile(in(name), data, 0o644); err != nil {
			return unwritable(in(name), err)
		}
	}
	env, err := environment.New(environment.Config{
		Reset:       []environment.Step{{HTTP: &environment.Request{URL: d.url + "/reset"}}},
		Ready:       []environment.Step{{HTTP: &environment.Request{URL: d.url + "/healthz"}}},
		Fingerprint: []environment.Step{{HTTP: &environment.Request{URL: d.url + "/fingerprint"}}},
		Metrics:     d.url + "/metrics",
	}, environment.Options{})
	if err != nil {
		return err
	}
	const budget = 64 << 20
	d.p = prepared{trace: in("trace.zst"), sample: in("sample.zst"), plan: in("replay.plan.zst"), synthetic: in("P1.plan.zst")}
	d.o = runOptions{
		anonymize: anonymizeOptions{logs: logOptions{names: []string{in("access.log.gz")}, maxReject: 0.01}, key: keySource{file: key}, workers: runtime.GOMAXPROCS(0), memory: budget},
		sample:    sample.Options{Fraction: 1, Seed: d.seed, Memory: budget},
		schedule: scheduleOptions{kind: arrival.Measured, arrival: arrival.Options{Speed: demoSpeed}, window: window{from: testdata.PeakFrom, to: testdata.PeakTo}, seed: d.seed,
			bind: in("bind.yaml"), catalogue: d.url + "/catalogue", allowWrites: true},
		replay: replayOptions{out: in("runs"), name: "replay", timeout: demoTimeout, warmup: demoWarmup, warmupSet: true, runs: 1, reject: "429,503",
			target: httptarget.Options{URL: d.url, Agent: "reprise/" + release}, env: env, allowWrites: true, targetVersion: "shop " + release, argv: os.Args,
			gates:  replay.Gates{MaxLag: demoLag},
			before: func() error { return d.shop.Faults().Set(demoFaults) }},
		vs: "P1",
	}
	return nil
}

// perform runs the stages and says what they found.
func (d *demonstration) perform(ctx context.Context) error {
	diagnosis, err := d.prepare(ctx, d.o, &d.p)
	if err != nil {
		return err
	}
	d.step("replay", "the measured peak, open loop")
	runs, err := d.attempt(ctx, d.p.plan, d.o.replay)
	if err != nil {
		return err
	}
	others, vary, err := d.synthetic(ctx, d.o, d.p, diagnosis)
	if err != nil {
		return err
	}
	rivals, err := d.attempt(ctx, d.p.synthetic, others)
	if err != nil {
		return err
	}
	traffic, err := d.contrast(runs, rivals, compare.Options{Vary: vary, Force: true}, filepath.Join(runs[0].dir, "compare.html"))
	if err != nil {
		return err
	}
	mode, err := d.stall(ctx)
	if err != nil {
		return err
	}
	d.close(runs[0], diagnosis, traffic, mode)
	if d.exit != exitOK {
		return verdict{d.exit}
	}
	return nil
}

// attempt replays once, and once more when the machine was too busy for an honest run. A run that stays
// INVALID is shown as such, and the demo goes on.
func (d *demonstration) attempt(ctx context.Context, path string, o replayOptions) (runs []*archived, err error) {
	var v verdict
	for try := 1; try <= demoTries; try++ {
		runs, err = d.replay(ctx, path, o)
		if !errors.As(err, &v) || v.exit != exitInvalid {
			return runs, err
		}
		if try < demoTries {
			fmt.Fprintln(d.err, "INVALID: this machine was too busy for an honest run; trying once more")
		}
	}
	d.exit = v.exit
	return runs, nil
}

// stall sends the same requests in an open and in a closed loop while the shop freezes once.
func (d *demonstration) stall(ctx context.Context) (*compare.Comparison, error) {
	o := d.o
	o.schedule.kind, o.schedule.arrival.Duration = arrival.Constant, stallWindow
	path := filepath.Join(d.dir, "stall.plan.zst")
	if _, err := d.schedule(ctx, d.p.sample, path, true, o.schedule); err != nil {
		return nil, err
	}
	o.replay.name = "stall"
	o.replay.before = func() error {
		return d.shop.Faults().Set(shop.FaultSpec{Stall: &shop.Stall{After: stallAfter, For: stallFor}})
	}
	d.step("stall", fmt.Sprintf("the shop freezes for %s: open loop", stallFor))
	open, err := d.attempt(ctx, path, o.replay)
	if err != nil {
		return nil, err
	}
	d.step("stall", fmt.Sprintf("the same freeze: closed loop, %d workers", demoWorkers))
	o.replay.closed, o.replay.workers = true, demoWorkers
	closed, err := d.attempt(ctx, path, o.replay)
	if err != nil {
		return nil, err
	}
	return d.contrast(open, closed, compare.Options{Vary: compare.Mode, Force: true}, filepath.Join(open[0].dir, "compare.html"))
}

// close ends the demo with its findings in plain words.
func (d *demonstration) close(run *archived, g *diagnosis, traffic, mode *compare.Comparison) {
	fmt.Fprintf(d.err, "\nWhat the demo found\n")
	if g.Log != nil {
		fmt.Fprintf(d.err, "  - on the log's own clock: %s\n", g.Log.Sentence())
	}
	match, bound := run.summary.StatusMatch.Share, "ids and bodies are really bound"
	if match < 0.99 {
		bound = "the data set does not answer as production did"
	}
	fmt.Fprintf(d.err, "  - %.1f %% of the answers had the status that production had logged: %s.\n", 100*match, bound)
	for _, c := range []*compare.Comparison{traffic, mode} {
		if c.Comparable {
			fmt.Fprintf(d.err, "  - %s\n", plain(c.Conclusion))
			if c.Note != "" {
				fmt.Fprintf(d.err, "    (%s)\n", plain(c.Note))
			}
		} else {
			fmt.Fprintf(d.err, "  - nothing about --vary %s: a run of it stayed INVALID\n", c.Vary)
		}
	}
	fmt.Fprintf(d.err, "\nreport   %s\ncompare  %s\n", filepath.Join(run.dir, "report.html"), filepath.Join(run.dir, "compare.html"))
	fmt.Fprintf(d.err, "next     reprise keygen -o ~/reprise.key && reprise run YOUR.log --key-file ~/reprise.key --target http://127.0.0.1:PORT\n")
	if d.exit != exitOK {
		fmt.Fprintf(d.err, "\nThis machine was too busy for an honest run: one stayed INVALID, and the demo ends with exit code %d. Run it again when less else runs.\n", d.exit)
	}
}
