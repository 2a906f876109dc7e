package ingest

import "strings"

// jsonPreset is a known JSON format.
type jsonPreset struct {
	name, title string
	stamp       Stamp
	need        string   // paths that every access line has, and no line of another format
	messages    []string // what the server's own messages have, each a list of paths
	handled     string   // what an access line says in its "msg"; "" = anything
	mapping     []string // see jsonMapping
}

// jsonPresets are the known JSON formats, those with keys of their own first.
var jsonPresets = []jsonPreset{
	{
		// Fields of modules/logging and caddyhttp.Server.logRequest; client_ip since 2.7, remote_addr before 2.5.
		name: "caddy", title: "Caddy JSON", stamp: StampEnd, need: "request.method request.uri status",
		messages: []string{"level ts msg"}, handled: "handled request",
		mapping: []string{
			"time=ts:float,duration=duration:float,status=status,bytes=size,user=user_id",
			"client=request.client_ip,client=request.remote_ip,client=request.remote_addr,forwarded=request.headers.X-Forwarded-For",
			"method=request.method,target=request.uri,protocol=request.proto,host=request.host",
			"referer=request.headers.Referer,agent=request.headers.User-Agent,id=request.headers.X-Request-Id,id=uuid",
			"cookie=request.headers.Cookie,header.Accept-Language=request.headers.Accept-Language",
		},
	},
	{
		// doc.traefik.io, "Access Logs"; pkg/middlewares/accesslog/logdata.go.
		name: "traefik_json", title: "Traefik JSON", stamp: StampStart, need: "RequestMethod RequestPath",
		messages: []string{"level msg time", "level message time"},
		mapping: []string{
			"start=StartUTC,start=StartLocal,end=time,duration=Duration:ns,upstream=OriginDuration:ns",
			"client=ClientHost,client=ClientAddr,user=ClientUsername,forwarded=request_X-Forwarded-For",
			"method=RequestMethod,target=RequestPath,protocol=RequestProtocol,host=RequestHost,host=RequestAddr",
			"status=DownstreamStatus,status=OriginStatus,bytes=DownstreamContentSize,bytes=OriginContentSize",
			"referer=request_Referer,agent=request_User-Agent,id=request_X-Request-Id,cookie=request_Cookie,header.Accept-Language=request_Accept-Language",
		},
	},
	{
		// Entries of Cloud Logging: LogEntry and its HttpRequest. The client sends no absolute target.
		name: "gcp", title: "Google Cloud load balancer", stamp: StampStart, need: "httpRequest.requestMethod httpRequest.requestUrl",
		messages: []string{"timestamp jsonPayload", "timestamp textPayload", "timestamp protoPayload"},
		mapping: []string{
			"start=timestamp:iso,duration=httpRequest.latency,status=httpRequest.status,bytes=httpRequest.responseSize:total",
			"method=httpRequest.requestMethod,url=httpRequest.requestUrl,protocol=httpRequest.protocol,client=httpRequest.remoteIp",
			"referer=httpRequest.referer,agent=httpRequest.userAgent,id=insertId",
		},
	},
	{
		// developers.cloudflare.com, "HTTP requests" data set of Logpush.
		name: "cloudflare", title: "Cloudflare Logpush", stamp: StampStart, need: "EdgeStartTimestamp ClientRequestMethod",
		mapping: []string{
			"start=EdgeStartTimestamp,end=EdgeEndTimestamp,upstream=OriginResponseDurationMs:ms,upstream=OriginResponseTime:ns",
			"client=ClientIP,method=ClientRequestMethod,target=ClientRequestURI,target=ClientRequestPath,protocol=ClientRequestProtocol",
			"host=ClientRequestHost,referer=ClientRequestReferer,agent=ClientRequestUserAgent,id=RayID",
			"status=EdgeResponseStatus,bytes=EdgeResponseBytes:total,bytes=EdgeResponseBodyBytes",
		},
	},
	{
		// kong/pdk/log.lua; the time is when the request began.
		name: "kong", title: "Kong file-log", stamp: StampStart, need: "started_at request.method response.status",
		mapping: []string{
			"start=started_at:unixms,duration=latencies.request:ms,upstream=latencies.proxy:ms,client=client_ip",
			"forwarded=request.headers.x-forwarded-for,user=authenticated_entity.consumer_id,user=consumer.username",
			"method=request.method,target=request.uri,url=request.url,host=request.headers.host,id=request.id",
			"status=response.status,bytes=response.size:total,referer=request.headers.referer,agent=request.headers.user-agent",
			"cookie=request.headers.cookie,header.Accept-Language=request.headers.accept-language",
		},
	},
	{
		// Envoy's and Istio's usual keys for its command operators, and those of Envoy Gateway and Contour.
		name: "envoy_json", title: "Envoy JSON", stamp: StampStart, need: "method response_code",
		mapping: []string{
			"start=start_time,start=@timestamp,duration=duration:ms,upstream=upstream_service_time:ms,upstream=x-envoy-upstream-service-time:ms",
			"client=downstream_remote_address,client=client_ip,forwarded=x_forwarded_for,forwarded=x-forwarded-for",
			"method=method,target=path,target=x-envoy-origin-path,protocol=protocol,host=authority,host=\\:authority",
			"status=response_code,bytes=bytes_sent,referer=referer,agent=user_agent,agent=user-agent,id=request_id,id=x-request-id",
		},
	},
	{
		// The keys of Fastly's own example of a JSON log; times in microseconds, as its time.elapsed.usec.
		name: "fastly", title: "Fastly JSON", stamp: StampStart, need: "timestamp url request_method response_status",
		mapping: []string{
			"start=timestamp,duration=time_elapsed:us,duration=time_elapsed_usec:us,duration=time_elapsed_msec:ms,client=client_ip",
			"method=request_method,target=url,protocol=request_protocol,protocol=protocol,host=host,user=auth_user,id=request_id",
			"status=response_status,bytes=response_body_size,bytes=resp_body_bytes,bytes=resp_bytes:total,bytes=bytes",
			"referer=request_referer,referer=referer,agent=request_user_agent,agent=user_agent",
		},
	},
	{
		// nginx's log_format has no keys of its own: the variables' names and what people call them, the names
		// of logstash's and Elastic's fields among them. Where a unit is anybody's guess, a number has to name it.
		name: "nginx_json", title: "nginx JSON (usual keys)", stamp: StampEnd,
		messages: []string{"level msg", "level message", "severity message"},
		mapping: []string{
			"time=msec:unix,time=time_msec,time=time_iso8601,time=@timestamp,time=time_local,time=timestamp,time=ts,time=time,time=datetime,time=date",
			"request=request,request=request_line,request=http_request",
			"method=request_method,method=method,method=http_method,method=verb,method=http.request.method,method=http\\.request\\.method,method=req.method",
			"target=request_uri,target=requestUri,target=uri_raw,target=url.original,target=url\\.original,target=req.url",
			"url=url,url=request_url,path=uri,path=path,path=request_path,path=url_path,path=url.path,query=args,query=query_string,query=request_query,query=query,query=url.query",
			"protocol=server_protocol,protocol=protocol,protocol=http_version,protocol=httpversion,protocol=proto",
			"status=status,status=status_code,status=response_code,status=response,status=http_status,status=statusCode,status=code",
			"status=http.response.status_code,status=http\\.response\\.status_code,status=res.statusCode",
			"bytes=body_bytes_sent,bytes=body_bytes,bytes=bytes_sent:total,bytes=bytes,bytes=size,bytes=response_size,bytes=response_length",
			"bytes=http.response.body.bytes,bytes=http\\.response\\.body\\.bytes",
			"duration=request_time:s,duration=duration_ms:ms,duration=latency_ms:ms,duration=elapsed_ms:ms,duration=response_time_ms:ms",
			"duration=responseTime:ms,duration=event.duration:ns,duration=event\\.duration:ns,duration=duration:text,duration=latency:text,duration=elapsed:text",
			"upstream=upstream_response_time:s,upstream=upstream_time:s",
			"client=remote_addr,client=client_ip,client=clientip,client=client,client=remote_ip,client=remote,client=ip,client=client_addr,client=remoteIP,client=clientIP",
			"client=client.ip,client=client\\.ip,client=source.ip,client=source\\.ip,client=remote_host,client=req.remoteAddress",
			"forwarded=http_x_forwarded_for,forwarded=x_forwarded_for,forwarded=xff,user=remote_user,user=user,user=auth",
			"host=http_host,host=host,host=server_name,host=vhost,host=domain,host=req.headers.host",
			"referer=http_referer,referer=http_referrer,referer=referer,referer=referrer,referer=req.headers.referer",
			"agent=http_user_agent,agent=user_agent,agent=useragent,agent=userAgent,agent=agent,agent=ua,agent=user_agent.original",
			"agent=user_agent\\.original,agent=req.headers.user-agent,id=request_id,id=requestId,id=req_id,id=x_request_id",
			"cookie=http_cookie,cookie=cookie,header.Accept-Language=http_accept_language",
		},
	},
}

// jsonFormats are the known formats of JSON lines.
var jsonFormats = func() []known {
	list := make([]known, len(jsonPresets))
	for i := range jsonPresets {
		p := &jsonPresets[i]
		list[i] = known{p.name, p.title, p.stamp, p.open}
	}
	return list
}()

func (p *jsonPreset) open(o FormatOptions) Format {
	f := &jsonFormat{name: p.name, stamp: p.stamp}
	if _, err := f.compile(strings.Join(p.mapping, ","), 0); err != nil {
		panic("ingest: a known JSON format does not compile: " + err.Error())
	}
	f.need = f.markKeys(p.need)
	f.messages(p.messages...)
	if f.handled = p.handled; p.handled != "" {
		node := f.root.grow("msg")
		node.columns = append(node.columns, jsonColumn{field: jsonMessage})
	}
	f.settle(o)
	return f
}
