package anonymize

import "bytes"

// cookieNames are names of cookies everywhere, beside those that are vocabulary as query keys.
var cookieNames = set(`_ga _gid _gat _fbp _fbc _gcl_au _hjid __utma __utmb __utmc __utmz PHPSESSID JSESSIONID ASP.NET_SessionId connect.sid
	laravel_session XSRF-TOKEN csrftoken sessionid session sid SID uid locale currency theme consent cart cart_id remember_token
	__cfduid cf_clearance AWSALB AWSALBCORS wordpress_test_cookie wp-settings-time woocommerce_cart_hash frontend`)

// cookieList replaces the pairs of a Cookie header (RFC 6265, section 4.2).
func (a *Anonymizer) cookieList(list []byte) {
	for more := true; more; {
		var pair []byte
		pair, list, more = bytes.Cut(list, []byte{';'})
		if pair = bytes.TrimSpace(pair); len(pair) == 0 {
			continue
		}
		name, value, named := bytes.Cut(pair, []byte{'='})
		if !named {
			name, value = nil, pair // as browsers read it
		}
		a.cookie(name, bytes.TrimSpace(value))
	}
}

// cookie appends a pair to the cookies of the record, and reads the user from it. The value of a session becomes a token
// of its form, always the same one: it still tells what belongs together, and opens nothing.
func (a *Anonymizer) cookie(name, value []byte) {
	at, placed := a.places.cookie[string(name)]
	a.layers.decode(value, false)
	quoted := len(a.layers.text) >= 2 && value[0] == '"' && value[len(value)-1] == '"'
	if quoted {
		value = value[1 : len(value)-1]
		a.layers.decode(value, false)
	}
	e := a.id
	if placed {
		e = a.at(at, a.layers.text)
	}
	if !a.headers.cookies {
		if a.places.userClaims {
			a.claims(value)
		}
		return
	}
	if len(a.cookies) > 0 {
		a.cookies = append(a.cookies, "; "...)
	}
	a.out = a.replace(a.out[:0], a.layers.text, e)
	a.text = a.layers.encode(a.text[:0], a.out) // the name needs the layers
	switch {
	case len(name) == 0:
	case placed || cookieNames[string(name)] || a.set.KeepsKey(name) && isToken(name):
		a.cookies = append(append(a.cookies, name...), '=')
	default:
		a.cookies = append(a.appendToken(a.cookies, name), '=')
	}
	if quoted {
		a.cookies = append(append(append(a.cookies, '"'), a.text...), '"')
	} else {
		a.cookies = append(a.cookies, a.text...)
	}
	a.counts.headers[headerCookie]++
}

// appendToken appends the pseudonym of a cookie's name, which could be anything.
func (a *Anonymizer) appendToken(dst, name []byte) []byte {
	if !isToken(name) {
		return a.mapper.AppendName(dst, name)
	}
	return a.value(dst, name, false, a.id)
}
