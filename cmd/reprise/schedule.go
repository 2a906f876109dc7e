package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/arrival"
	"reprise/replay/bind"
	"reprise/replay/plan"
)

func (s *shell) scheduleCommand() *cli.Command {
	return &cli.Command{
		Name:      "schedule",
		Usage:     "make a plan: when each request is sent, and which",
		ArgsUsage: "SAMPLE",
		Description: `The default, measured, keeps the exact count of every second of the whole log and places the requests
uniformly inside it. What a Poisson fit would hide is printed.

   reprise schedule S.sample.zst --window peak:5m -o P.plan.zst
   reprise schedule S.sample.zst --window 2012-03-29T01:00:00-07:00+1h --speed 60 -o P.plan.zst
   reprise schedule S.sample.zst --arrival poisson --rate 200 --duration 60s -o P.plan.zst`,
		OnUsageError: usageError,
		Flags:        append([]cli.Flag{outFlag("the plan to this file, - for stdout"), forceFlag(), yes("json", "print the diagnostics as JSON on stdout")}, scheduleFlags()...),
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "SAMPLE")
			if err != nil {
				return err
			}
			o, err := scheduleOptionsOf(c)
			if err != nil {
				return err
			}
			if c.Bool("json") && c.String("output") == "-" {
				return usage("USAGE", "--json and -o - both want stdout", "-o P.plan.zst")
			}
			d, err := s.schedule(c.Context, name, c.String("output"), c.Bool("force"), o)
			if err != nil {
				return err
			}
			s.printSchedule(d)
			if c.Bool("json") {
				return json.NewEncoder(s.out).Encode(d)
			}
			return nil
		},
	}
}

func scheduleFlags() []cli.Flag {
	return []cli.Flag{
		seedFlag(),
		text("arrival", "measured", "measured, poisson, constant or logged"),
		number("speed", 1, "divides time: 60 sends an hour in a minute"),
		number("rate", 0, "wanted mean in requests per second as sent"),
		number("scale", 0, "multiplies the load at unchanged time"),
		text("window", "", "part of the log: FROM/TO, FROM+LENGTH or peak:LENGTH"),
		text("duration", "", "length of the schedule; a longer one than the window repeats it"),
		text("bind", "", "bind.yaml: ids, headers and bodies of the environment's data set"),
		text("catalogue", "", "file or URL of the ids, instead of the one in bind.yaml"),
		yes("allow-writes", "send methods with side effects too"),
		text("tmp", "", "folder for temporary files; default: the system's"),
	}
}

// scheduleOptions are the choices of a schedule.
type scheduleOptions struct {
	kind        arrival.Kind
	arrival     arrival.Options
	window      window
	seed        uint64
	bind        string
	catalogue   string
	allowWrites bool
	tmp         string
}

func scheduleOptionsOf(c *cli.Context) (o scheduleOptions, err error) {
	o = scheduleOptions{seed: c.Uint64("seed"), bind: c.String("bind"), catalogue: c.String("catalogue"),
		allowWrites: c.Bool("allow-writes")}
	if o.tmp, err = tmpOf(c); err != nil {
		return o, err
	}
	if o.window, err = parseWindow(c.String("window")); err != nil {
		return o, err
	}
	if o.kind, err = arrival.ParseKind(c.String("arrival")); err != nil {
		return o, usage("USAGE", err.Error(), "--arrival measured")
	}
	o.arrival = arrival.Options{Speed: c.Float64("speed"), Rate: c.Float64("rate"), Scale: c.Float64("scale")}
	for _, check := range []struct {
		flag, fix string
		err       error
	}{
		{"speed", "--speed 1", arrival.CheckSpeed(o.arrival.Speed)}, {"rate", "--rate 100", arrival.CheckRate(o.arrival.Rate)},
		{"scale", "--scale 1", arrival.CheckScale(o.arrival.Scale)},
	} {
		if c.IsSet(check.flag) && check.err != nil {
			return o, usage("USAGE", check.err.Error(), check.fix)
		}
	}
	if text := c.String("duration"); text != "" {
		if o.arrival.Duration, err = time.ParseDuration(text); err == nil {
			err = arrival.CheckDuration(o.arrival.Duration)
		}
		if err != nil {
			return o, usage("USAGE", "--duration: "+err.Error(), "--duration 60s")
		}
	}
	return o, nil
}

// diagnosis is what a schedule tells about itself; it is printed and stands in the plan's trailer.
type diagnosis struct {
	arrival.Shape
	Model      arrival.Kind     `json:"model"`
	Seed       uint64           `json:"seed"`
	PlanSHA256 string           `json:"plan_sha256,omitempty"`
	Log        *arrival.Fitness `json:"log,omitempty"` // of the window, before speed and scale
	Draw       *plan.DrawStats  `json:"draw,omitempty"`
	Bind       *bind.Report     `json:"bind,omitempty"`
	terms      plan.Terms
	note       string // about the window
}

func (s *shell) printSchedule(d *diagnosis) {
	t := d.terms
	window := ""
	if t.To > t.From {
		window = fmt.Sprintf(" from %s to %s at speed %g", clock(t.From), clock(t.To), t.Speed)
	}
	fmt.Fprintf(s.err, "schedule: %d arrivals in %.3f s, %s (%s)%s\n", d.Arrivals, d.DurationSeconds, d.Model, t.Method, window)
	if d.note != "" {
		fmt.Fprintf(s.err, "  only %s\n", d.note)
	}
	fmt.Fprintf(s.err, "  mean %.2f/s, peak %d/s, index of dispersion at 1 s %s\n", d.Rate, d.PeakSecond, figure(d.IDC, "1"))
	if t.Fill != "" && t.Fill != arrival.Whole {
		fmt.Fprintf(s.err, "  the window is %s: %.2f times in this schedule\n", t.Fill, t.Repeats)
	}
	if d.Log != nil {
		sentence := d.Log.Sentence()
		if t.Speed != 1 {
			sentence = "on the log's own clock: " + sentence
		}
		fmt.Fprintf(s.err, "  %s\n", sentence)
	}
	if d.Draw != nil {
		for _, reason := range []plan.Withheld{plan.Write, plan.Unbound, plan.Unreplayable} {
			if n := d.Draw.Withheld[reason]; n > 0 {
				fmt.Fprintf(s.err, "  withheld %d (%s)%s\n", n, reason, withheldFix[reason])
			}
		}
		if d.Draw.Borrowed > 0 {
			fmt.Fprintf(s.err, "  %d arrivals fall in hours without a sampled request and got one of the nearest hour\n", d.Draw.Borrowed)
		}
	}
	if d.Bind != nil {
		for _, e := range d.Bind.Entities {
			if e.Distinct == 0 {
				fmt.Fprintf(s.err, "  warning: nothing in the plan stands where bind.yaml looks for %s\n", plain(e.Name))
			}
			fmt.Fprintf(s.err, "  bound %-10s %6d pseudonyms to %d ids: %d share an id, %d never existed (404), %d without one\n", e.Name, e.Distinct, e.IDs, e.Folded, e.Missing, e.Unbound)
		}
		if d.Bind.Unbound > 0 {
			fmt.Fprintf(s.err, "  withheld %d (unbound): the data set has no id for them\n", d.Bind.Unbound)
		}
	}
}

var withheldFix = map[plan.Withheld]string{
	plan.Write:        ": methods with side effects; --allow-writes sends them",
	plan.Unreplayable: ": CONNECT, or bytes that no request line can hold",
}

func figure(m map[string]float64, key string) string {
	if v, ok := m[key]; ok {
		return fmt.Sprintf("%.2f", v)
	}
	return "unknown (too short)"
}
