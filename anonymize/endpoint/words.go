package endpoint

import (
	"bytes"
	"strings"
)

// routeWords are words of routes everywhere. They name no one, so they stay literal in any log.
var routeWords = wordSet(`
	about account accounts actuator add admin ads ajax all api app apps archive archives article articles asset assets auth
	avatar avatars banner banners basket bin blog book books brand brands browse build bundle bundles callback
	cart cat catalog catalogue categories category cgi-bin change chat check checkout client clients
	code collection collections comment comments common company config confirm contact content
	core count create css customer customers dashboard data default delete delivery detail details dist doc docs
	download downloads edit email embed en error errors event events export faq favicon favicon.ico favorites feed feeds file files filter
	fonts font forgot forum forums gallery get global graphql group groups health healthz help history home
	icon icons id image images img import index index.html index.php info inventory invoice invoices item items
	job jobs js json latest lib libs like link links list lists live locale login logout mail main map media member members menu
	message messages metrics mobile module modules my new news newsletter note notes notification notifications
	oauth offer offers open order orders page pages password payment payments photo photos ping plugin plugins
	policy post posts preview price prices print privacy product products profile profiles project projects
	public purchase queries query rating ratings read ready recent register remove reports report reset rest
	results review reviews robots.txt role roles rss sale sales save scripts script search secure security
	send service services session sessions settings share shipping shop signin signout signup site sitemap sitemap.xml sites size
	sku skus socket socket.io src stat static statistics stats status stock storage store stores style styles subscribe support
	sync system tag tags task tasks team template templates terms test theme themes thumb thumbnail thumbnails ticket tickets
	token tokens topic topics track tracking transactions update upload uploads url user users v1 v2 v3 v4 vendor
	verify version video videos view web webhook webhooks widget widgets wiki wishlist
	ws xml . .. .well-known wp-admin wp-content wp-includes wp-json wp-login.php wp-cron.php admin-ajax.php xmlrpc.php`)

// extensions are the file name endings that a template keeps.
var extensions = wordSet(`
	asp aspx atom avi avif bmp bz2 cgi class css csv cur dll do doc docx eot exe flv gif gz htm html ico ini jar
	jpeg jpg js json jsp jspx less map md mjs mov mp3 mp4 mpeg mpg ogg otf pdf php php3 php5 phtml pl png ppt pptx
	py rar rb rss rtf scss shtml svg swf tar tgz tif tiff ts ttf txt vtt wasm wav webm webmanifest webp woff woff2
	xhtml xls xlsx xml xz yaml yml zip`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// IsRouteWord reports whether s stands on the fixed list of words that say nothing about anyone, or is the size of a
// picture, such as 200x150.
func IsRouteWord(s []byte) bool { return routeWords[string(s)] || isPictureSize(s) }

func isPictureSize(s []byte) bool {
	width, height, ok := bytes.Cut(s, []byte{'x'})
	return ok && isShortNumber(width) && isShortNumber(height)
}

func isShortNumber(s []byte) bool {
	for _, c := range s {
		if kindOf[c] != kDigit {
			return false
		}
	}
	return len(s) > 0 && len(s) <= 4
}

// SplitExtension splits a known file extension, with its dot, off a segment.
func SplitExtension(s []byte) (stem, ext []byte) {
	for i := len(s) - 1; i >= 0 && len(s)-i <= 12; i-- {
		if s[i] != '.' {
			continue
		}
		if extensions[string(s[i+1:])] {
			return s[:i], s[i:]
		}
		break
	}
	return s, nil
}
