package ingest_test

import (
	"bytes"
	"fmt"
	"testing"

	"reprise/ingest"
)

// proxyLogs are formats and how they write request number i of a busy server.
var proxyLogs = []struct {
	format string
	write  func(i int) string
}{
	{"haproxy", haproxyLine},
	{"syslog+haproxy", func(i int) string {
		return fmt.Sprintf("Mar 12 09:%02d:%02d lb1 haproxy[71]: %s", i/20/60%60, i/20%60, haproxyLine(i))
	}},
	{"envoy", func(i int) string {
		return fmt.Sprintf(`[2025-03-12T09:%02d:%02d.%03dZ] "GET /products/%d?page=%d HTTP/2" 200 - 0 %d %d %d "203.0.113.%d" "%s" "9c5f7a30-1f6e-4a1b-8d27-%012d" "shop.example" "10.0.0.5:8080"`,
			i/20/60%60, i/20%60, i%20*50, i%997, i%7, i*31%50000, i%900, i%900, i%250, browser, i)
	}},
	{"traefik", func(i int) string {
		return fmt.Sprintf(`203.0.113.%d - - [12/Mar/2025:09:%02d:%02d +0000] "GET /products/%d?page=%d HTTP/2.0" 200 %d "https://shop.example/list" "%s" %d "web@docker" "http://10.0.0.5:80" %dms`,
			i%250, i/20/60%60, i/20%60, i%997, i%7, i*31%50000, browser, i, i%900)
	}},
	{"docker+combined", func(i int) string { return inDocker(combinedLine(i)+"\n", "stdout") }},
	{"cri+combined", func(i int) string { return criTime + "stdout F " + combinedLine(i) }},
	{"syslog+combined", func(i int) string { return "<134>Mar 12 09:14:03 lb1 nginx: " + combinedLine(i) }},
	{"compose+combined", func(i int) string { return "nginx-1  | " + combinedLine(i) }},
	{"caddy_console", func(i int) string {
		return fmt.Sprintf("2025/03/12 09:%02d:%02d.824\tINFO\thttp.log.access.log0\thandled request\t"+
			`{"request": {"remote_ip": "203.0.113.%d", "remote_port": "5123", "client_ip": "203.0.113.%d", "proto": "HTTP/2.0", "method": "GET", "host": "shop.example", "uri": "/products/%d?page=%d", `+
			`"headers": {"User-Agent": ["%s"]}}, "bytes_read": 0, "user_id": "", "duration": 0.%06d, "size": %d, "status": 200}`, i/20/60%60, i/20%60, i%250, i%250, i%997, i%7, browser, i%900000, i*31%50000)
	}},
}

func haproxyLine(i int) string {
	return fmt.Sprintf(`203.0.113.%d:5123 [12/Mar/2025:09:%02d:%02d.%03d] https~ be/s%d 0/0/1/%d/%d 200 %d - - ---- 10/9/8/7/0 0/0 "GET /products/%d?page=%d HTTP/1.1"`,
		i%250, i/20/60%60, i/20%60, i%20*50, i%4, i%900, i%900+1, i*31%50000, i%997, i%7)
}

func combinedLine(i int) string {
	return fmt.Sprintf(`203.0.113.%d - - [12/Mar/2025:09:%02d:%02d +0000] "GET /products/%d?page=%d HTTP/1.1" 200 %d "https://shop.example/list" "%s"`, i%250, i/20/60%60, i/20%60, i%997, i%7, i*31%50000, browser)
}

func proxyLog(write func(int) string, n int) []byte {
	var b bytes.Buffer
	for i := range n {
		b.WriteString(write(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestProxyFormatsAllocateNothing(t *testing.T) {
	for _, l := range proxyLogs {
		f, text := described(t, l.format, ingest.FormatOptions{}), proxyLog(l.write, 50)
		line, r := make([]byte, 0, 4096), new(ingest.Record)
		if n := testing.AllocsPerRun(10, func() { parseAll(t, f, text, line, r) }); n != 0 {
			t.Errorf("%s: %g allocations for 50 lines", l.format, n)
		}
	}
}

func BenchmarkParseProxy(b *testing.B) {
	for _, l := range proxyLogs {
		b.Run(l.format, func(b *testing.B) {
			f, text := described(b, l.format, ingest.FormatOptions{}), proxyLog(l.write, 10_000)
			line, r := make([]byte, 0, 4096), new(ingest.Record)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				parseAll(b, f, text, line, r)
			}
		})
	}
}
