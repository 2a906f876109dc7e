package ingest_test

import (
	"bytes"
	"fmt"
	"strings"

	"reprise/ingest"
)

// quoted writes a JSON string as servers do that write log lines: bytes that are no UTF-8 stay as they are.
func quoted(s []byte) []byte {
	b := []byte{'"'}
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04X`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// quotedHTML writes a JSON string as Go's encoding/json does, which escapes what HTML would take for markup.
func quotedHTML(s []byte) []byte {
	return []byte(strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(string(quoted(s))))
}

// objectOf writes names and JSON values as an object, without the pairs whose value is "".
func objectOf(b []byte, pairs ...any) []byte {
	b = append(b, '{')
	for i := 0; i < len(pairs); i += 2 {
		value := pairs[i+1]
		if s, ok := value.([]byte); ok && len(s) == 0 {
			continue
		}
		if i > 0 && b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `"%s":`, pairs[i])
		switch v := value.(type) {
		case []byte: // JSON already
			b = append(b, v...)
		default:
			b = fmt.Append(b, v)
		}
	}
	return append(b, '}')
}

// header writes a header's JSON value: nothing for one that was not sent.
func header(s []byte, form string) []byte {
	if len(s) == 0 {
		return nil
	}
	return fmt.Appendf(nil, form, quoted(s))
}

func optionalHTML(s []byte) []byte {
	if len(s) == 0 {
		return nil
	}
	return quotedHTML(s)
}

func instant(ns int64, layout string) []byte { return append(at([]byte{'"'}, ns, layout), '"') }

// caddyNumber writes seconds to the microsecond as Caddy does: a float's shortest digits.
func caddyNumber(ns int64) []byte {
	return bytes.TrimSuffix(bytes.TrimRight(fmt.Appendf(nil, "%d.%06d", ns/1e9, ns%1e9/1e3), "0"), []byte("."))
}

// jsonConverters write one JSON object a line.
var jsonConverters = []converter{
	{name: "caddy", unit: 1e3, write: writeCaddy},
	{name: "traefik_json", unit: 1, write: writeTraefikJSON},
	{name: "envoy_json", unit: 1e6, lacks: "user referer", write: writeEnvoyJSON},
	{name: "gcp", unit: 1e3, lacks: "user protocol", write: writeGCP, holds: isOrigin},
	{name: "cloudflare", unit: 1, lacks: "user", write: writeCloudflare},
	{name: "kong", unit: 1e6, lacks: "user protocol", write: writeKong},
	{name: "fastly", unit: 1e3, lacks: "user", write: writeFastly, holds: isOrigin},
	{name: "nginx_json", unit: 1e6, write: writeNginxJSON},
}

func writeCaddy(b []byte, r *ingest.Record) []byte {
	headers := objectOf(nil, "User-Agent", header(r.Agent, "[%s]"), "Accept", []byte(`["*/*"]`), "Referer", header(r.Referer, "[%s]"))
	request := objectOf(nil, "remote_ip", quoted([]byte("198.51.100.1")), "remote_port", []byte(`"5123"`), "client_ip", quoted(r.Client), "proto", quoted(r.Protocol),
		"method", quoted(r.Method), "host", quoted(r.Host), "uri", quoted(r.Target), "headers", headers, "tls", []byte(`{"resumed":false,"version":772,"server_name":"ex.example"}`))
	return objectOf(b, "level", []byte(`"info"`), "ts", caddyNumber(r.Start+r.Duration), "logger", []byte(`"http.log.access.log0"`), "msg", []byte(`"handled request"`),
		"request", request, "bytes_read", 0, "user_id", quoted(r.User), "duration", caddyNumber(r.Duration), "size", r.Bytes, "status", r.Status,
		"resp_headers", []byte(`{"Server":["Caddy"],"Content-Type":["text/html; charset=\"utf-8\""],"User-Agent":["no request header"]}`))
}

func writeTraefikJSON(b []byte, r *ingest.Record) []byte {
	user := r.User
	if len(user) == 0 {
		user = []byte("-")
	}
	return objectOf(b, "ClientAddr", quotedHTML([]byte(endpointOf(r.Client, "5123"))), "ClientHost", quotedHTML(r.Client), "ClientPort", []byte(`"5123"`), "ClientUsername", quotedHTML(user),
		"DownstreamContentSize", r.Bytes, "DownstreamStatus", r.Status, "Duration", r.Duration, "OriginContentSize", 7, "OriginStatus", 502, "Overhead", 4711, "RequestAddr", quotedHTML(r.Host),
		"RequestContentSize", 0, "RequestCount", 3, "RequestHost", quotedHTML(r.Host), "RequestMethod", quotedHTML(r.Method), "RequestPath", quotedHTML(r.Target), "RequestPort", []byte(`"-"`),
		"RequestProtocol", quotedHTML(r.Protocol), "RouterName", []byte(`"web@docker"`), "StartLocal", instant(r.Start, "2006-01-02T15:04:05.000000000Z"),
		"StartUTC", instant(r.Start, "2006-01-02T15:04:05.000000000Z"), "level", []byte(`"info"`), "msg", []byte(`""`), "request_Referer", optionalHTML(r.Referer),
		"request_User-Agent", optionalHTML(r.Agent), "time", instant(r.Start+r.Duration, "2006-01-02T15:04:05Z"))
}

func writeEnvoyJSON(b []byte, r *ingest.Record) []byte {
	return objectOf(b, "authority", quoted(r.Host), "bytes_received", 0, "bytes_sent", r.Bytes, "connection_termination_details", []byte("null"), "downstream_local_address", []byte(`"10.0.0.9:8443"`),
		"downstream_remote_address", quoted([]byte(endpointOf(r.Client, "5123"))), "duration", r.Duration/1e6, "method", quoted(r.Method), "path", quoted(r.Target), "protocol", quoted(r.Protocol),
		"request_id", []byte(`"9c5f-4a1b"`), "requested_server_name", []byte("null"), "response_code", r.Status, "response_code_details", []byte(`"via_upstream"`), "response_flags", []byte(`"-"`),
		"route_name", []byte(`"default"`), "start_time", instant(r.Start, isoMs), "upstream_cluster", []byte(`"outbound|80||ex"`), "upstream_host", []byte(`"10.0.0.5:80"`),
		"upstream_service_time", fmt.Appendf(nil, `"%d"`, r.Duration/1e6), "user_agent", quoted(or(r.Agent, "-")), "x_forwarded_for", quoted(r.Client))
}

func writeGCP(b []byte, r *ingest.Record) []byte {
	url := append(append([]byte("https://"), r.Host...), r.Target...)
	request := objectOf(nil, "latency", fmt.Appendf(nil, `"%d.%06ds"`, r.Duration/1e9, r.Duration%1e9/1e3), "referer", header(r.Referer, "%s"), "remoteIp", quoted(r.Client),
		"requestMethod", quoted(r.Method), "requestSize", []byte(`"120"`), "requestUrl", quoted(url), "responseSize", fmt.Appendf(nil, `"%d"`, r.Bytes), "serverIp", []byte(`"10.0.0.5"`),
		"status", r.Status, "userAgent", header(r.Agent, "%s"))
	return objectOf(b, "httpRequest", request, "insertId", []byte(`"1k2x"`), "jsonPayload", []byte(`{"@type":"type.example/LoadBalancerLogEntry","statusDetails":"response_sent_by_backend"}`),
		"logName", []byte(`"projects/x/logs/requests"`), "receiveTimestamp", instant(r.Start+9e9, isoUs), "resource", []byte(`{"labels":{"url_map_name":"web"},"type":"http_load_balancer"}`),
		"severity", []byte(`"INFO"`), "timestamp", instant(r.Start, isoUs))
}

func writeCloudflare(b []byte, r *ingest.Record) []byte {
	return objectOf(b, "ClientIP", quoted(r.Client), "ClientRequestHost", quoted(r.Host), "ClientRequestMethod", quoted(r.Method), "ClientRequestURI", quoted(r.Target),
		"ClientRequestProtocol", quoted(r.Protocol), "ClientRequestReferer", quoted(r.Referer), "ClientRequestUserAgent", quoted(r.Agent), "EdgeStartTimestamp", r.Start,
		"EdgeEndTimestamp", r.Start+r.Duration, "EdgeResponseStatus", r.Status, "EdgeResponseBytes", r.Bytes, "OriginResponseStatus", 502, "RayID", []byte(`"87a1b2c3d4e5f001"`))
}

func writeKong(b []byte, r *ingest.Record) []byte {
	headers := objectOf(nil, "host", quoted(r.Host), "user-agent", header(r.Agent, "%s"), "referer", header(r.Referer, "%s"), "accept", []byte(`"*/*"`))
	request := objectOf(nil, "method", quoted(r.Method), "uri", quoted(r.Target), "url", quoted(append([]byte("http://ex.example:8000"), r.Target...)), "size", []byte(`"75"`), "headers", headers,
		"querystring", []byte(`{"uri":"/no","method":"no"}`))
	return objectOf(b, "started_at", r.Start/1e6, "latencies", objectOf(nil, "request", r.Duration/1e6, "proxy", r.Duration/1e6, "kong", 0), "client_ip", quoted(r.Client), "request", request,
		"response", fmt.Appendf(nil, `{"status":%d,"size":"%d","headers":{"content-length":"9","user-agent":"no"}}`, r.Status, r.Bytes), "upstream_uri", []byte(`"/no"`),
		"route", []byte(`{"name":"all","methods":["GET"]}`), "service", []byte(`{"host":"no.example","path":"/no","protocol":"http"}`), "workspace", []byte(`"0dc6"`))
}

func writeFastly(b []byte, r *ingest.Record) []byte {
	return objectOf(b, "timestamp", instant(r.Start, "2006-01-02T15:04:05-0700"), "time_elapsed", r.Duration/1e3, "client_ip", quoted(r.Client), "geo_city", []byte(`"-"`),
		"host", quoted(r.Host), "url", quoted(r.Target), "request_method", quoted(r.Method), "request_protocol", quoted(r.Protocol), "request_referer", quoted(r.Referer),
		"request_user_agent", quoted(r.Agent), "response_state", []byte(`"MISS"`), "response_status", r.Status, "response_body_size", r.Bytes, "fastly_server", []byte(`"cache-fra"`), "fastly_is_edge", true)
}

func writeNginxJSON(b []byte, r *ingest.Record) []byte {
	end := r.Start + r.Duration
	return objectOf(b, "time_iso8601", instant(end, "2006-01-02T15:04:05+00:00"), "msec", fmt.Appendf(nil, `"%d.%03d"`, end/1e9, end%1e9/1e6), "remote_addr", quoted(r.Client), "remote_user", quoted(r.User),
		"request", quoted(requestLine(r, bytes.Clone)), "status", fmt.Appendf(nil, `"%d"`, r.Status), "body_bytes_sent", fmt.Appendf(nil, `"%d"`, r.Bytes),
		"request_time", fmt.Appendf(nil, `"%d.%03d"`, r.Duration/1e9, r.Duration%1e9/1e6), "http_referer", quoted(r.Referer), "http_user_agent", quoted(r.Agent), "host", quoted(r.Host))
}
