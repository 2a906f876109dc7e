package report

import (
	"math"
	"strconv"
)

// Charts are drawn in a plane 1000 wide that stretches to the page, inside a frame whose text keeps its size.
const plane = 1000

// chart is what the template "chart" draws.
type chart struct {
	Title, How string // the finding; how to read it
	Alt        string // for those who cannot see it
	Height     int    // of the plane
	Full       int    // with the x labels
	Y          []tick
	X          []tick
	Bands      []band
	Areas      []shape
	Lines      []shape
	Rules      []rule
	Dots       []dot
	Legend     []shape
}

// tick is a labelled position: X in percent of the width, Y in pixels.
type tick struct {
	X, Label string
	Y        float64
	Anchor   string
}

// shape is a path with the looks of its class; see looks.
type shape struct {
	Path, Class, Name      string
	Fill, Stroke, Dash     string
	Width, Opacity, Legend string
}

type rule struct {
	Y     float64
	Label string
}

type dot struct {
	X, Label, Class, Fill, Anchor string
	Y                             float64
}

// band is a stretch of the x axis where numbers mean less.
type band struct {
	X, Width, Label string
	At              string
}

// looks are the Okabe-Ito colours, a dash for every line and a pattern for every area, so that no
// two things differ by colour alone. The page's style sheet brightens the classes on a dark ground.
var looks = map[string]shape{
	"planned":   {Stroke: "#000000", Dash: "", Width: "1.6"},
	"started":   {Stroke: "#0072B2", Dash: "5 3", Width: "1.8"},
	"completed": {Fill: "#56B4E9"},
	"rejected":  {Fill: "url(#p-rejected)"},
	"timedout":  {Fill: "url(#p-timedout)"},
	"errors":    {Fill: "url(#p-errors)"},
	"dropped":   {Fill: "url(#p-dropped)"},
	"flow":      {Fill: "#56B4E9", Opacity: "0.28"},
	"p99":       {Stroke: "#D55E00", Width: "1.8"},
	"p50":       {Stroke: "#0072B2", Dash: "6 3", Width: "1.8"},
	"flight":    {Fill: "#56B4E9", Opacity: "0.45", Stroke: "#0072B2", Width: "1.2"},
	"lag":       {Fill: "#CC79A7", Opacity: "0.45", Stroke: "#AA4499", Width: "1.2"},
	"response":  {Stroke: "#0072B2", Width: "2.6"},
	"service":   {Stroke: "#D55E00", Dash: "7 4", Width: "2"},
	"a":         {Stroke: "#0072B2", Width: "2.6"},
	"b":         {Stroke: "#D55E00", Dash: "8 4", Width: "2.4"},
	"a-repeat":  {Stroke: "#0072B2", Width: "0.7"},
	"b-repeat":  {Stroke: "#D55E00", Dash: "8 4", Width: "0.7"},
	"a-rate":    {Fill: "#56B4E9", Opacity: "0.4", Stroke: "#0072B2", Width: "1.2"},
	"b-rate":    {Fill: "#D55E00", Opacity: "0.14", Stroke: "#D55E00", Width: "1.2", Dash: "5 2"},
}

func styled(class, name, path string) shape {
	s := looks[class]
	s.Class, s.Name, s.Path = class, name, path
	return s
}

// scale maps values to pixels from the bottom (height) to the top (0).
type scale struct {
	log       bool
	low, high float64
	height    float64
}

// widest bounds what a scale covers: a foreign summary may hold any number, and ticks are drawn one by one.
const widest = 1e12

func linear(high, height float64) scale {
	return scale{low: 0, high: niceCeil(math.Min(high, widest)), height: height}
}

// logarithmic covers low to high by whole decades or their halves, at least a factor of ten.
func logarithmic(low, high, height float64) scale {
	low = math.Min(math.Max(low, 1e-6), widest)
	high = math.Min(math.Max(high, low*1.01), 10*widest)
	floor := math.Pow(10, math.Floor(math.Log10(low)+1e-9))
	for _, m := range []float64{5, 2} {
		if floor*m <= low {
			floor *= m
			break
		}
	}
	ceil := math.Pow(10, math.Floor(math.Log10(high)))
	for _, m := range []float64{1, 2, 5, 10} {
		if ceil*m >= high*(1-1e-9) {
			ceil *= m
			break
		}
	}
	return scale{log: true, low: math.Min(floor, ceil/10), high: ceil, height: height}
}

func (s scale) y(v float64) float64 {
	v = math.Min(math.Max(v, s.low), s.high)
	if s.log {
		return s.height * (1 - math.Log(v/s.low)/math.Log(s.high/s.low))
	}
	if s.high <= 0 {
		return s.height
	}
	return s.height * (1 - v/s.high)
}

func (s scale) ticks(unit string) []tick {
	var out []tick
	if !s.log {
		for _, v := range []float64{s.high / 2, s.high} {
			out = append(out, tick{Y: s.y(v), Label: axis(v) + unit})
		}
		return out
	}
	for v := math.Pow(10, math.Ceil(math.Log10(s.low)-1e-9)); v <= s.high*1.0001; v *= 10 {
		if s.y(v) <= s.height-12 {
			out = append(out, tick{Y: s.y(v), Label: axis(round(v)) + unit})
		}
	}
	if n := len(out); n == 0 || out[n-1].Y > 26 {
		out = append(out, tick{Y: 0, Label: axis(round(s.high)) + unit})
	}
	return out
}

// axis prints the number of a tick.
func axis(v float64) string {
	if v >= 1000 && v < 1e15 {
		return grouped(int64(v))
	}
	return plain(v)
}

// round removes the noise of powers of ten.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return r
}

// niceCeil is the next of 1, 2, 2.5, 4, 5, 6, 8 and 10 times a power of ten.
func niceCeil(v float64) float64 {
	if v <= 0 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 2.5, 4, 5, 6, 8, 10} {
		if m*p >= v*(1-1e-9) {
			return round(m * p)
		}
	}
	return round(10 * p)
}

// timeTicks labels the time axis of n bins with at most five round instants.
func timeTicks(n int, width float64) []tick {
	total := float64(n) * width
	if total <= 0 {
		return nil
	}
	step := 0.0
	for _, step = range []float64{0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400} {
		if total/step <= 5 {
			break
		}
	}
	for total/step > 5 {
		step *= 2
	}
	var out []tick
	for i := 0; float64(i)*step <= total*1.0001; i++ {
		t := tick{X: percent(float64(i) * step / total), Label: clock(float64(i) * step), Anchor: "middle"}
		switch {
		case i == 0:
			t.Anchor = "start"
		case float64(i)*step > total*0.96:
			t.Anchor = "end"
		}
		out = append(out, t)
	}
	return out
}

func percent(f float64) string {
	return strconv.FormatFloat(math.Round(f*10000)/100, 'f', -1, 64) + "%"
}

// pen writes paths with short numbers.
type pen struct{ b []byte }

func (p *pen) to(op byte, x, y float64) {
	p.b = append(p.b, op)
	p.b = p.number(x)
	p.b = append(p.b, ' ')
	p.b = p.number(y)
}

func (p *pen) number(v float64) []byte {
	return strconv.AppendFloat(p.b, math.Round(v*10)/10, 'f', -1, 64)
}

// steps draws a value per bin as a staircase, so that one bin is as visible as six hundred.
func steps(values []float64, y func(float64) float64) string {
	var p pen
	for i, v := range values {
		op := byte('L')
		if i == 0 {
			op = 'M'
		}
		x0, x1 := float64(i)*plane/float64(len(values)), float64(i+1)*plane/float64(len(values))
		if i == 0 || values[i-1] != v {
			p.to(op, x0, y(v))
		}
		if i == len(values)-1 || values[i+1] != v {
			p.to('L', x1, y(v))
		}
	}
	return string(p.b)
}

// area is a staircase filled down to the bottom.
func area(values []float64, s scale) string {
	if len(values) == 0 {
		return ""
	}
	var p pen
	p.b = append(p.b, steps(values, s.y)...)
	p.to('L', plane, s.height)
	p.to('L', 0, s.height)
	return string(append(p.b, 'Z'))
}

// between fills from one staircase to another; both are shares of the height, and bins without any height are left
// out.
func between(low, high []float64, height float64) string {
	var p pen
	n := float64(len(low))
	for i := 0; i < len(low); i++ {
		if high[i]-low[i] < 1e-9 {
			continue
		}
		j := i
		for j+1 < len(low) && low[j+1] == low[i] && high[j+1] == high[i] {
			j++
		}
		x0, x1 := float64(i)*plane/n, float64(j+1)*plane/n
		p.to('M', x0, height*(1-low[i]))
		p.to('L', x0, height*(1-high[i]))
		p.to('L', x1, height*(1-high[i]))
		p.to('L', x1, height*(1-low[i]))
		p.b = append(p.b, 'Z')
		i = j
	}
	return string(p.b)
}
