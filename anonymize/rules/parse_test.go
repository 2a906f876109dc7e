package rules_test

import (
	"errors"
	"strings"
	"testing"

	"reprise/anonymize/rules"
)

// wrong asserts the whole text of the error for a file.
func wrong(t *testing.T) func(text, want string) {
	return func(text, want string) {
		t.Helper()
		r, err := rules.Parse([]byte(text))
		if err == nil || r != nil {
			t.Errorf("%q passes", text)
			return
		}
		if err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", text, err, want)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	f := wrong(t)
	f("", "1:1: the file lacks the section anonymize")
	f("# nothing\n", "1:1: the file lacks the section anonymize")
	f("run: {target: x}\n", "1:1: the file lacks the section anonymize")
	f("- a\n", "1:1: must be a mapping with the section anonymize:, and is a list")
	f("secretvalue", "1:1: must be a mapping with the section anonymize:, and is a text")
	f("anonymize: {}\n---\nanonymize: {}\n", "3:1: a second document begins here, which would be ignored: remove the line ---")
	f("anonymize: {}\nrun: {}\nanonymize: {}\n", "3:1: anonymize: stands here twice, first in line 1: remove one")
	f("anonymize: [a]\n", "1:12: anonymize: must be a mapping, such as {key: value}, and is a list")
	f("anonymize: yes\n", "1:12: anonymize: must be a mapping, such as {key: value}, and is a text")
	f("a: &x {mode: deny}\nanonymize: *x\n", "2:12: anonymize: aliases (*) are not taken here: write the value out, or quote the asterisk")
	f("anonymize: &x {mode: deny}\n", "1:12: anonymize: anchors (&) are not taken here: write the value out")
	f("anonymize:\n  <<: {mode: deny}\n", "2:3: anonymize: merge keys (<<) are not taken here: write the values out")
	f("anonymize:\n  mode: !!str deny\n", "2:9: anonymize.mode: tags (!) are not taken here: remove the tag")
	f("anonymize:\n  mode: deny\n  mode: deny\n", "3:3: anonymize.mode: stands here twice, first in line 2: remove one")
	f("anonymize:\n  ? mode\n  : deny\n", "2:3: anonymize: a key must be a plain name")
	f("anonymize:\n  mod: deny\n", "2:3: anonymize.mod: is no key of this section: did you mean mode?; keys are allow, cookies, entities, headers, ip, mode, referer, secrets, text and time")
	f("anonymize:\n  \"a\\e[31m\": 1\n", `2:3: anonymize."a\x1b[31m": is no key of this section; keys are allow, cookies, entities, headers, ip, mode, referer, secrets, text and time`)
	f("anonymize:\n  "+strings.Repeat("k", 50)+": 1\n", `2:3: anonymize.(a key of 50 bytes): is no key of this section; keys are allow, cookies, entities, headers, ip, mode, referer, secrets, text and time`)
	f("anonymize:\n  mode: {a: b}\n", "2:9: anonymize.mode: must be a text, and is a mapping")
	f("anonymize:\n  mode: allow\n", "2:9: anonymize.mode: must be deny: what no rule lets stay is replaced, and there is no other mode")
	f("anonymize:\n  mode: Deny\n", "2:9: anonymize.mode: is none of the values deny: did you mean deny?")
	f("anonymize:\n  cookies: keep\n", "2:12: anonymize.cookies: is none of the values drop and pseudonym")
	f("anonymize:\n  referer: same-rule\n", "2:12: anonymize.referer: is none of the values drop, origin and same-rules: did you mean same-rules?")
	f("anonymize:\n  mode:\n", "2:3: anonymize.mode: must be a text, and is nothing")
	f(strings.Repeat("#", rules.MaxFile+1), "1:1: the file is larger than 256 KiB")
	f("anonymize:\n "+strings.Repeat("[", rules.MaxFile/2), "2:1002: more than 1000 brackets are open here")
	f("anonymize:\n "+strings.Repeat("- ", rules.MaxFile/4), "2:402: more than 200 lists or keys begin in one line")
}

func TestWrongYAML(t *testing.T) {
	f := func(text string, line int) {
		t.Helper()
		_, err := rules.Parse([]byte(text))
		e, ok := errors.AsType[*rules.Error](err)
		if !ok || e.Line != line || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%q: %v, want an error in line %d that quotes nothing", text, err, line)
		}
	}
	f("anonymize:\n  mode: [sesame\n", 2)
	f("anonymize:\n  mode: \"sesame\n", 2)
	f("anonymize:\n mode: deny\n  sesame: 1\n", 2)
	f("anonymize: {mode: deny}}\n", 1)
	f("anonymize:\n\tmode: sesame\n", 2)
	f("anonymize: !\n  - sesame\n! : \n", 3)
}

func TestWrongAddressesAndTime(t *testing.T) {
	f := wrong(t)
	ip := func(keep, reason string) {
		t.Helper()
		f("anonymize:\n  ip:\n    keep:\n      - ::1\n      - "+keep+"\n", "5:9: anonymize.ip.keep[1]: "+reason)
	}
	ip("10.0.0.0/33", "is no block of addresses: write 10.0.0.0/8, or one address")
	ip("alice", "is no block of addresses: write 10.0.0.0/8, or one address")
	ip("fe80::1%eth0", "has a zone, which no log tells: write fe80::/10")
	ip("10.1.2.3/8", "has bits behind its length: write the first address of the block, as in 10.0.0.0/8")
	ip(`"::ffff:10.0.0.0/104"`, "is an IPv4 block in the form of IPv6: write it as IPv4")
	ip(`"::/0"`, "overlaps another block of the list: remove one")
	ip("0.0.0.0/0", "keeps more public addresses than a /8 has: whoever has one of them could be named; keep smaller blocks")
	ip("2.0.0.0/7", "keeps more public addresses than a /8 has: whoever has one of them could be named; keep smaller blocks")
	ip("2a00::/31", "keeps more public addresses than a /32 has: whoever has one of them could be named; keep smaller blocks")
	ip("{a: b}", "must be a text, and is a mapping")
	f("anonymize:\n  ip: {keep: [3.0.0.0/8, 127.0.0.0/8, 8.8.8.8]}\n",
		"2:39: anonymize.ip.keep[2]: keeps more public addresses than a /8 has: whoever has one of them could be named; keep smaller blocks")
	f("anonymize:\n  ip: {keep: 10.0.0.0/8}\n", "2:14: anonymize.ip.keep: must be a list, such as [a, b], and is a text")
	f("anonymize:\n  ip: {mode: docks}\n", "2:14: anonymize.ip.mode: is none of the values pfx, flat and docs: did you mean docs?")
	f("anonymize:\n  ip: {modes: pfx}\n", "2:8: anonymize.ip.modes: is no key of this section: did you mean mode?; keys are mode and keep")
	f("anonymize:\n  time: {shift: 5201}\n", "2:17: anonymize.time.shift: is out of range: weeks go from -5200 to 5200")
	f("anonymize:\n  time: {shift: -99999999}\n", "2:17: anonymize.time.shift: is out of range: weeks go from -5200 to 5200")
	f("anonymize:\n  time: {shift: 1.5}\n", "2:17: anonymize.time.shift: is none, key, or a number of whole weeks, such as -52")
	f("anonymize:\n  time: {shift: 3d}\n", "2:17: anonymize.time.shift: is none, key, or a number of whole weeks, such as -52")
	f("anonymize:\n  time: {shift: key, step: 168h}\n", "2:22: anonymize.time.step: is no key of this section; keys are shift")
}

func TestWrongEntities(t *testing.T) {
	f := wrong(t)
	at := func(place, reason string) {
		t.Helper()
		f("anonymize:\n  entities:\n    user: {at: [query:uid, 'path:/u/{u}', "+place+"]}\n", "3:43: anonymize.entities.user.at[2]: "+reason)
	}
	at("uid", "is no place; places are path:/users/{user}, query:uid, cookie:uid, header:X-User-Id and jwt:sub")
	at("queri:uid", "is no place: did you mean query?; places are path:/users/{user}, query:uid, cookie:uid, header:X-User-Id and jwt:sub")
	at("'path:users/{user}'", "a path begins with /, as in path:/users/{user}")
	at("'path:/users'", "the path has no variable: write {name} for the segment that is the entity's, as in path:/users/{user}")
	at("'path:/users/{a}/orders/{b}'", "the path has two variables: keep the one that is the entity's, and write * for the other")
	at("'path:/users//{a}'", "the path has an empty segment, . or ..: write path:/users/{user}")
	at("'path:/users/{a}/'", "the path has an empty segment, . or ..: write path:/users/{user}")
	at("'path:/us*/{a}'", "a segment of the path is no word, * or {name}: letters, digits and _ - . ~ are taken, without encoding")
	at("'path:/{a}/1/2/3/4/5/6/7/8/9/10/11/12'", "the path has more than 12 segments")
	at("query:UID", "is a place of this entity already (query:uid): remove one")
	at("'path:/*/{x}/orders'", "is a place of this entity already (path:/u/{u}): remove one")
	at("query:a&b", `a query key has visible ASCII characters only, decoded, none of = & # ? % + , * " ' \`)
	at("'query:'", "a query key has from 1 to 40 bytes")
	at("cookie:a b", "names no cookie: a name is a token of RFC 6265, such as uid")
	at("header:X User", "names no header: a name is a token of RFC 9110, such as Accept-Language")
	at("header:cookie", "is a header with many values: name one, as in cookie:uid")
	at("header:user-agent", "is a header that is always replaced in its own way: remove the place")
	at("'jwt:'", `names no claim: a name has from 1 to 128 visible ASCII characters, no quotes and no \`)
	f("anonymize:\n  entities:\n    a: {at: [query:uid]}\n    b: {at: [query:uid]}\n", "4:14: anonymize.entities.b.at[0]: is a place of entity a already (query:uid): one place has one entity")
	f("anonymize:\n  entities:\n    a: {at: ['path:/items/{a}']}\n    b: {at: ['path:/*/{b}']}\n", "4:14: anonymize.entities.b.at[0]: is a place of entity a already (path:/items/{a}): one place has one entity")
	f("anonymize:\n  entities:\n    a: {at: []}\n", "3:8: anonymize.entities.a: has no place: write where its values stand, as in at: [query:uid]")
	f("anonymize:\n  entities:\n    a: {at: [query:a], format: integer}\n", "3:32: anonymize.entities.a.format: is none of the values auto, int and text")
	f("anonymize:\n  entities:\n    a: {at: [query:a], owner: user}\n", "3:24: anonymize.entities.a.owner: is no key of this section; keys are at and format")
	f("anonymize:\n  entities:\n    id: {at: [query:a]}\n", "3:5: anonymize.entities.id: is the name of all values without an entity: choose another")
	f("anonymize:\n  entities:\n    User: {at: [query:a]}\n", "3:5: anonymize.entities.User: names no entity: a name has lower-case letters, digits, _ and -, a letter first")
	f("anonymize:\n  entities:\n    a: {at: [query:a]}\n    a: {at: [query:b]}\n", "4:5: anonymize.entities.a: stands here twice, first in line 3: remove one")
}

func TestWrongAllow(t *testing.T) {
	f := wrong(t)
	key := func(line, want string) {
		t.Helper()
		f("anonymize:\n  secrets: {words: [customer_key]}\n  entities: {user: {at: [query:uid]}}\n  text: {keys: [q]}\n  allow:\n    - {on: /, query: {z: bool}}\n    - on: \"*\"\n      query:\n        "+line+"\n", want)
	}
	key("token: word", `9:9: anonymize.allow[1].query.token: names a secret ("token"); a secret never stays: remove the line`)
	key("page, authToken: word", `9:9: anonymize.allow[1].query.authToken: names a secret ("authtoken"); a secret never stays: remove the line`)
	key("customerKey: word", `9:9: anonymize.allow[1].query.customerKey: names a secret ("customerkey"); a secret never stays: remove the line`)
	key("uid: int<=4", "9:9: anonymize.allow[1].query.uid: is a place of entity user, whose values are replaced: remove one of the two lines")
	key("Q: word", "9:9: anonymize.allow[1].query.Q: is a key of text, whose words are replaced: remove one of the two lines")
	key("a, page, a: word", "9:9: anonymize.allow[1].query.a: has a rule for this endpoint in line 9 already: remove one")
	key("\"*\": word", `9:9: anonymize.allow[1].query."*": lets values of any key stay: only the shape bool is taken here; name the key`)
	key("a,,b: word", `9:9: anonymize.allow[1].query."": a query key has from 1 to 40 bytes`)
	key("ключ: word", `9:9: anonymize.allow[1].query."\u043a\u043b\u044e\u0447": a query key has visible ASCII characters only, decoded, none of = & # ? % + , * " ' \`)
	const other = "; shapes are int<=N, word, bool, locale, version, a|b|c, words(a|b|c) and top(N)"
	key("page: wort", "9:15: anonymize.allow[1].query.page: is no shape: did you mean word?"+other)
	key("page: sesame", "9:15: anonymize.allow[1].query.page: is no shape"+other)
	key("page: 7", "9:15: anonymize.allow[1].query.page: is no shape"+other)
	key("page: int", "9:15: anonymize.allow[1].query.page: int needs the number of digits: int<=4")
	key("page: int<=0", "9:15: anonymize.allow[1].query.page: int<=N needs the number of digits, from 1 to 6")
	key("page: int<=x", "9:15: anonymize.allow[1].query.page: int<=N needs the number of digits, from 1 to 6")
	key("page: int<=7", "9:15: anonymize.allow[1].query.page: int<=N takes 6 digits at most: a longer number could be an id; make it a place of an entity")
	key("page: top(0)", "9:15: anonymize.allow[1].query.page: top(N) needs the number of values, from 1 to 10000")
	key("page: a||b", "9:15: anonymize.allow[1].query.page: value 2 of the list has not from 1 to 64 bytes")
	key("page: a|b|a", "9:15: anonymize.allow[1].query.page: value 3 of the list stands there twice")
	key("page: a|b@c", "9:15: anonymize.allow[1].query.page: value 2 of the list has a character other than letters, digits, space and _ - . , : + / ~ *")
	key("page: a|13912345678", "9:15: anonymize.allow[1].query.page: value 2 of the list has more than 6 digits and could be an id; make the key a place of an entity")
	key("page: words(a|B)", "9:15: anonymize.allow[1].query.page: value 2 of the list is no lower-case word of letters and digits")
	key("page: words(1|2)", "9:15: anonymize.allow[1].query.page: value 1 of the list is no lower-case word of letters and digits")
	key("page: [word]", "9:15: anonymize.allow[1].query.page: must be a text, and is a list")
	key("page:", "9:9: anonymize.allow[1].query.page: must be a text, and is nothing")
	item := func(item, want string) {
		t.Helper()
		f("anonymize:\n  allow:\n    - {on: \"GET *\", query: {page: word}}\n    - "+item+"\n", want)
	}
	const noEndpoint = `4:12: anonymize.allow[1].on: is no endpoint: write "*", a template such as /users/{int}, or "GET /search"`
	item("{on: search, query: {z: bool}}", noEndpoint)
	item("{on: GET /a /b, query: {z: bool}}", noEndpoint)
	item("{on: '/a?b', query: {z: bool}}", noEndpoint)
	item("{on: '', query: {z: bool}}", noEndpoint)
	item("{on: get /a, query: {z: bool}}", "4:12: anonymize.allow[1].on: begins with no method: methods are in capitals, such as GET")
	item("{query: {z: bool}}", `4:7: anonymize.allow[1]: lacks on: write on: "*" for all endpoints, or on: "GET /search"`)
	item("{on: /a}", "4:7: anonymize.allow[1]: lacks query: write query: {page: int<=4}")
	item("{on: /a, query: {}}", "4:23: anonymize.allow[1].query: has no key: write query: {page: int<=4}")
	item("{on: /a, querry: {}}", "4:16: anonymize.allow[1].querry: is no key of this section: did you mean query?; keys are on and query")
	item("{on: GET  *, query: {PAGE: bool}}", "4:28: anonymize.allow[1].query.PAGE: has a rule for this endpoint in line 3 already: remove one")
	item("word", "4:7: anonymize.allow[1]: must be a mapping, such as {key: value}, and is a text")
	f("anonymize:\n  allow:\n", "2:3: anonymize.allow: is empty: write [] to let nothing stay, or remove the key for the built-in list")
}

func TestWrongNames(t *testing.T) {
	f := wrong(t)
	header := func(name, reason string) {
		t.Helper()
		f("anonymize:\n  entities: {user: {at: [header:X-User]}}\n  headers: {keep: [Accept, "+name+"]}\n", "3:28: anonymize.headers.keep[1]: "+reason)
	}
	header("'*'", "would keep all headers: name those that name nobody, such as Accept")
	header("authorization", `names a secret ("Authorization"); a secret never stays: remove the line`)
	header("Proxy-Authorization", `names a secret ("Proxy-Authorization"); a secret never stays: remove the line`)
	header("X-API-Key", `names a secret ("X-Api-Key"); a secret never stays: remove the line`)
	header("X-Amz-Security-Token", `names a secret ("X-Amz-Security-Token"); a secret never stays: remove the line`)
	header("cookie", "keeps Cookie, which names a person or a session: remove the line; cookies: says what becomes of it")
	header("set-cookie", "keeps Set-Cookie, which names a person or a session: remove the line; cookies: says what becomes of it")
	header("Referer", "keeps Referer, which names a person or a session: remove the line; referer: says what becomes of it")
	header("x-forwarded-for", "keeps X-Forwarded-For, which names a person or a session: remove the line, or make it a place of an entity (header:X-Forwarded-For)")
	for _, name := range []string{"X-Account-Id", "X-Customer", "X-Device-Id", "Remote-Addr"} {
		header(strings.ToLower(name), "keeps "+name+", which names a person or a session: remove the line, or make it a place of an entity (header:"+name+")")
	}
	header("accept", "stands here twice: remove one")
	header("x-user", "is a place of entity user already (header:X-User): one place has one rule")
	header("'a b'", "names no header: a name is a token of RFC 9110, such as Accept-Language")
	f("anonymize:\n  headers: {drop: '*'}\n", "2:13: anonymize.headers.drop: is no key of this section; keys are keep")
	f("anonymize:\n  text: {keys: [q, Q]}\n", "2:20: anonymize.text.keys[1]: stands here twice: remove one")
	f("anonymize:\n  text: {keys: [password]}\n", `2:17: anonymize.text.keys[0]: names a secret ("password"); a secret never stays: remove the line`)
	f("anonymize:\n  text: {keys: [uid]}\n  entities: {user: {at: [query:uid]}}\n", "2:17: anonymize.text.keys[0]: is a place of entity user already (query:uid): one place has one rule")
	f("anonymize:\n  secrets: {words: [tan, a_b_c]}\n", "2:26: anonymize.secrets.words[1]: is no word: letters a to z are taken, or two words joined by _ - or ., as in customer_key")
	f("anonymize:\n  secrets: {words: [tan, T-an]}\n", "2:26: anonymize.secrets.words[1]: stands here twice: remove one")
}
