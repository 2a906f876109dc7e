package endpoint_test

import (
	"fmt"
	"strings"
	"testing"
)

// What made other tools learn wrong templates.
func TestTrapVersionsStayLiteral(t *testing.T) {
	v := crowd(100, "/specs/v1", "/specs/v2", "/specs/4711")
	v = append(v, visit{"/few/v7", 1, 200})
	s := learn(v...).Set()
	match(t, s, "/specs/v2", "/specs/v2")
	match(t, s, "/specs/5", "/specs/{int}")
	match(t, s, "/specs/v3", "{unmatched}")
	match(t, s, "/few/v7", "/{word}/v7")
}

func TestTrapNamesOfFewAreReplaced(t *testing.T) {
	v := crowd(100, "/users/77/orders")
	for i := range 60 {
		v = append(v, visit{"/users/" + name(i), uint64(i % 5), 200})
	}
	v = append(v, visit{"/users/alice", 3, 200}, visit{"/users/alice", 4, 200})
	s := learn(v...).Set()
	match(t, s, "/users/alice", "/users/{word}")
	match(t, s, "/users/somebody-new", "/users/{word}")
}

func TestTrapNumbersBehindWords(t *testing.T) {
	v := crowd(100, "/x/user-123", "/x/user-77", "/x/b113")
	s := learn(v...).Set()
	match(t, s, "/x/user-999", "/x/user-{int}")
	match(t, s, "/x/b999", "/x/b{int}")
	match(t, s, "/x/kim-1", "{unmatched}")
}

func TestTrapLocalesAndMe(t *testing.T) {
	s := learn(crowd(100, "/de/me", "/pt-BR/me", "/zh_CN/me", "/api/hello.world")...).Set()
	for _, path := range []string{"/de/me", "/pt-BR/me", "/zh_CN/me", "/api/hello.world"} {
		match(t, s, path, path)
	}
	match(t, learn(visit{"/users/me", 1, 200}).Set(), "/users/me", "/users/me") // whoever asks
}

// 18,000 addresses of a site with sections: the words of the sections stay, at every depth, and no template fits all.
func TestTrapManyURLsDoNotBecomeAsterisks(t *testing.T) {
	var v []visit
	for i := range 18_000 {
		section := fmt.Sprintf("/%ssection/list/%c%c%cstory/read", strings.Repeat(string(rune('a'+i%20)), 2), 'a'+i/20%26, 'a'+i/520%26, 'a'+i/13520)
		for k := range 3 {
			v = append(v, visit{section, uint64(i*3+k) % 200, 200})
		}
	}
	s := learn(v...).Set()
	match(t, s, "/aasection/list/zzzstory/read", "/aasection/list/{word}/read")
	match(t, s, "/ttsection/list/new/read", "/ttsection/list/{word}/read")
	if got := patterns(s); len(got) != 20 {
		t.Errorf("%d templates: %.200s", len(got), strings.Join(got, " "))
	}
}

// The first segment is exempt from the rule for crowded nodes, though not from that of few clients.
func TestTrapFirstSegmentsDoNotCollapse(t *testing.T) {
	var v []visit
	for i := range 300 {
		for client := range 45 {
			v = append(v, visit{"/" + name(i%100) + string(rune('a'+i/100)), uint64(i*7 + client), 200})
		}
	}
	v = append(v, visit{"/onlymine", 1, 200})
	s := learn(v...).Set()
	if n := len(s.Templates()); n != 301 {
		t.Errorf("%d templates, want 300 and one", n)
	}
	match(t, s, "/onlymine", "/{word}")
}

// Accounts that look like words, as on hosting sites for code: a few popular ones are vocabulary, the others are not.
func TestTrapAccountsLikeWords(t *testing.T) {
	var v []visit
	for i := range 1000 {
		account := fmt.Sprintf("/code/%s%c/%s", name(i%100), 'a'+i/100, name(i/10%100))
		v = append(v, visit{account, uint64(i), 200}, visit{account, uint64(i + 1), 200})
	}
	s := learn(append(v, crowd(100, "/code/torvalds/linux", "/code/explore")...)...).Set()
	match(t, s, "/code/torvalds/linux", "/code/torvalds/linux")
	match(t, s, "/code/explore", "/code/explore")
	match(t, s, "/code/"+name(3)+"a/"+name(0), "/code/{word}/{word}")
	match(t, s, "/code/torvalds/other", "{unmatched}")
}

// What a scanner asks for in vain teaches nothing, and does not make the log look as if it had more clients.
func TestTrapScannersTeachNothing(t *testing.T) {
	v := crowd(10, "/shelf/overview")
	want := learn(v...).Set().Digest()
	for i := range 5000 {
		v = append(v, visit{fmt.Sprintf("/shelf/%s/%d", name(i), i), uint64(i), 404}, visit{"/wp-login.php", uint64(i), 403}, visit{"/shelf/overview", uint64(i), 500})
	}
	if got := learn(v...).Set().Digest(); got != want {
		t.Error("errors changed the templates")
	}
}
