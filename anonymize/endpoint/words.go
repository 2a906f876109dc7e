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
	me message messages metrics mobile module modules my new news newsletter note notes notification notifications
	oauth offer offers open order orders page pages password payment payments photo photos ping plugin plugins
	policy post posts preview price prices print privacy product products profile profiles project projects
	public purchase queries query rating ratings read ready recent register remove reports report reset rest
	results review reviews robots.txt role roles rss sale sales save scripts script search secure security self
	send service services session sessions settings share shipping shop signin signout signup site sitemap sitemap.xml sites size
	sku skus socket socket.io src stat static statistics stats status stock storage store stores style styles subscribe support
	sync system tag tags task tasks team template templates terms test theme themes thumb thumbnail thumbnails ticket tickets
	token tokens topic topics track tracking transactions update upload uploads url user users v1 v2 v3 v4 v5 v6 v7 v8 v9 vendor
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

// isRouteWord reports whether s stands on the fixed list of words that say nothing about anyone, or is a common
// size of a picture, such as 200x150.
func isRouteWord(s []byte) bool { return routeWords[string(s)] || isPictureSize(s) }

// sides are the lengths in pixels of which sizes of pictures are made. The list is closed: any two numbers could be a
// phone number.
var sides = wordSet(`16 20 24 25 30 32 36 40 48 50 57 60 64 70 72 75 76 80 90 96 100 114 120 125 128 140 144 150 152 160 180 192 200 210 220 225 240
	250 256 270 280 300 310 320 336 350 360 375 384 400 414 420 430 450 480 500 512 540 550 600 630 640 675 700 720 728 750 768 800 850
	900 960 970 1000 1024 1080 1100 1136 1152 1200 1280 1334 1366 1440 1500 1536 1600 1680 1800 1920 2000 2048 2160 2400 2560 3840 4096`)

func isPictureSize(s []byte) bool {
	if len(s) == 0 || kindOf[s[0]] != kDigit {
		return false
	}
	width, height, ok := bytes.Cut(s, []byte{'x'})
	return ok && sides[string(width)] && sides[string(height)]
}

// pictures are the extensions before which a picture for fine screens has @2x or @3x. No domain ends in them.
var pictures = wordSet(`avif gif jpeg jpg png svg webp`)

// SplitExtension splits a known file extension, with its dot, off a segment. A mail address has none: .pl, .py, .md,
// .zip and .mov are top-level domains too.
func SplitExtension(s []byte) (stem, ext []byte) {
	if at := bytes.LastIndexByte(s, '@'); at >= 0 && isMail(s) {
		if domain := s[at+1:]; len(domain) < 4 || domain[0] < '2' || domain[0] > '4' || domain[1] != 'x' || domain[2] != '.' || !pictures[string(domain[3:])] {
			return s, nil
		}
	}
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
