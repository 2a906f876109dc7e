package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nginxConfig answers every path at once and writes one line per request. It keeps connections for ever, so
// that none closes while a request is on its way to it.
const nginxConfig = `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 1024; }
http {
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  log_format line '$request_method $status';
  access_log access.log line;
  keepalive_requests 1000000;
  keepalive_timeout 1h;
  large_client_header_buffers 8 64k;
  server { listen %s; location / { return 200 "ok\n"; } }
}
`

// nginx is a server on loopback with its own folder.
type nginx struct {
	url, dir string
	cmd      *exec.Cmd
}

func startNginx(t *testing.T) *nginx {
	t.Helper()
	program, err := exec.LookPath("nginx")
	if err != nil {
		program = "/usr/sbin/nginx" // where Debian puts it, out of the PATH of most users
	}
	if _, err := os.Stat(program); err != nil {
		t.Skip("nginx is not installed")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	n := &nginx{url: "http://" + address, dir: t.TempDir()}
	config := fmt.Sprintf(nginxConfig, address)
	if os.Geteuid() == 0 {
		config = "user root;" + config // the test's folder is for its owner only
	}
	write(t, filepath.Join(n.dir, "nginx.conf"), []byte(config))
	n.cmd = exec.Command(program, "-p", n.dir, "-c", "nginx.conf", "-e", "error.log")
	n.cmd.Stderr = os.Stderr
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.stop)
	within(t, 30*time.Second, "nginx listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return n
}

// stop ends nginx after its open requests. It may be called more than once.
func (n *nginx) stop() {
	if n.cmd.ProcessState == nil {
		n.cmd.Process.Signal(syscall.SIGQUIT)
		n.cmd.Wait()
	}
}

// lines are those of the access log, by method.
func (n *nginx) lines(t *testing.T) (total int, methods map[string]int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, "access.log"))
	if err != nil {
		t.Fatal(err)
	}
	methods = make(map[string]int)
	for line := range strings.Lines(string(text)) {
		method, _, _ := strings.Cut(line, " ")
		methods[method]++
		total++
	}
	return total, methods
}

// TestNginx replays a real hour, POSTs and all, against a real server, which counts what reached it.
func TestNginx(t *testing.T) {
	log := realLog(t, "nginx-blog-2012.log.gz")
	t.Parallel()
	n := startNginx(t)
	dir := t.TempDir()
	reprise(t, dir, []string{"keygen", "-o", "k"})
	reprise(t, dir, []string{"anonymize", log, "--key-file", "k", "-o", "T"})
	noOwnAddress(t, log, filepath.Join(dir, "T"))
	reprise(t, dir, []string{"sample", "T", "--fraction", "1", "-o", "S"})
	reprise(t, dir, []string{"schedule", "S", "--window", "2012-03-29T01:00:00-07:00+1h", "--speed", "60", "--allow-writes", "-o", "P"})
	write(t, filepath.Join(dir, "env.yaml"), []byte("reset: [{exec: true}]\n"))
	// Other tests share the machine, so that the run may be INVALID; what is counted must be right all the same.
	line := reprise(t, dir, []string{"replay", "P", "--target", n.url, "--allow-writes", "--env", "env.yaml", "-o", "runs"}, exitOK, exitInvalid)
	if !strings.HasPrefix(line, "open planned=1516 started=1516 finished=1516 completed=1516 ") {
		t.Errorf("summary line: %s", line)
	}
	_, summary := oneRun(t, filepath.Join(dir, "runs", "*"))
	n.stop()
	total, methods := n.lines(t)
	if written := figureOf(t, summary, "written"); float64(total) != written || total != 1516 {
		t.Errorf("nginx counts %d requests, written are %v of 1516", total, written)
	}
	if methods["POST"] != 537 {
		t.Errorf("nginx counts %d POSTs of 537: %v", methods["POST"], methods)
	}
}

// combinedLine is a slow reading of the format, independent of package ingest.
var combinedLine = regexp.MustCompile(`^(\S+) \S+ \S+ \[([^\]]+)\] "([A-Z]+) [^"]*" ([0-9]{3}) ([0-9]+) `)

// request is what a raw line and its record have in common.
type request struct {
	second int64
	method string
	status int
	bytes  int64
}

// noOwnAddress finds the raw line of each record, where second, method, status and size tell it from all others,
// and wants another client in the record. By chance one in 2^28 clients keeps its address.
func noOwnAddress(t *testing.T, log, traceFile string) {
	t.Helper()
	raw := make(map[request]string)
	for line := range bytes.Lines(unzipped(t, log)) {
		m := combinedLine.FindSubmatch(line)
		if m == nil {
			continue
		}
		at, err := time.Parse("02/Jan/2006:15:04:05 -0700", string(m[2]))
		if err != nil {
			continue
		}
		r := request{second: at.Unix(), method: string(m[3])}
		fmt.Sscan(string(m[4]), &r.status)
		fmt.Sscan(string(m[5]), &r.bytes)
		client := string(m[1])
		if _, twice := raw[r]; twice {
			client = "" // not to be told apart
		}
		raw[r] = client
	}
	text, err := plainText(traceFile)
	if err != nil {
		t.Fatal(err)
	}
	found, same := make(map[string]bool), make(map[string]bool)
	for line := range bytes.Lines(text) {
		var rec struct {
			T              int64
			Client, Method string
			Status         int
			Bytes          int64
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		client := raw[request{rec.T / 1e6, rec.Method, rec.Status, rec.Bytes}]
		if client == "" {
			continue
		}
		found[client] = true
		if client == rec.Client {
			same[client] = true
		}
	}
	if len(found) < 5000 {
		t.Errorf("only %d clients were found again: the comparison says nothing", len(found))
	}
	if len(same) > 0 {
		t.Errorf("%d of %d clients keep their own address", len(same), len(found))
	}
	t.Logf("%d clients compared", len(found))
}

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
