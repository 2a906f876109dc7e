// Package serverconf finds the access log formats in the configuration files of web servers, so that nobody
// has to copy a format string out of one:
//
//	c, err := serverconf.Nginx("/etc/nginx/nginx.conf")
//	f, err := c.Format("main") // or "" for the one that access_log uses
//
// It follows includes, as the servers do, and reads nothing but what names formats and their use. The text
// of a format is what package ingest compiles.
package serverconf
