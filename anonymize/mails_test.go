package anonymize_test

import (
	"regexp"
	"strings"
	"testing"
)

// A mail address has one pseudonym, alone, in a list, and with punctuation around it.
func TestMailsInListsAndPunctuation(t *testing.T) {
	a := anonymizer(t, 1)
	anna, jan := queried(t, a, "anna.b@corp.example"), queried(t, a, "jan.k@corp.example")
	for in, want := range map[string]string{
		"anna.b@corp.example,jan.k@corp.example": anna + "," + jan,
		"jan.k@corp.example;Anna.B@corp.example": jan + ";" + anna,
		"anna.b@corp.example,":                   anna + ",",
		"%3Canna.b@corp.example%3E":              "<" + anna + ">",
	} {
		if got := queried(t, a, in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// The address of a page, in a value, has the ids and mail addresses that stand alone elsewhere.
func TestPagesInValues(t *testing.T) {
	a := anonymizer(t, 1)
	id, mail := queried(t, a, "7654321"), queried(t, a, "bob.x1@qq.test")
	for in, want := range map[string]string{
		"https%3A%2F%2Fshop.test%2Fu%2F7654321%3Fmail%3Dbob.x1%40qq.test%26uid%3D7654321": `^[a-z]{5}://[a-z]{4}\.[a-z]{4}/[a-z]/ID\?[a-z]{4}=MAIL&[a-z]{3}=ID$`,
		"https://shop.test/u/7654321%23top%2B1":                                           `^[a-z]{5}://[a-z]{4}\.[a-z]{4}/[a-z]/ID#[a-z]{3}\+\d$`,
		"%2Fu%2F7654321%3Fmail%3Dbob.x1%40qq.test":                                        `^/[a-z]/ID\?[a-z]{4}=MAIL$`,
		"a%3Dbob.x1@qq.test%26b%3D1":                                                      `^[a-z]=MAIL&[a-z]=\d$`,
		"Bob+%3Cbob.x1@qq.test%3E":                                                        `^[A-Za-z]{3} <MAIL>$`,
		"Bob+%3Cbob.x1@qq.test%3E,+x:bob.x1@qq.test":                                      `^[A-Za-z]{3} <MAIL>, [a-z]:MAIL$`,
		"%22Bob%22+%3Cbob.x1@qq.test%3E":                                                  `^"[A-Za-z]{3}" <MAIL>$`,
		"https%3A%2F%2Fshop.test%2Flogin%3Fnext%3D%252Fu%252F7654321":                     `^[a-z]{5}://[a-z]{4}\.[a-z]{4}/[a-z]{5}\?[a-z]{4}=/[a-z]/ID$`,
	} {
		want = strings.NewReplacer("ID", id, "MAIL", regexp.QuoteMeta(mail)).Replace(want)
		if got := queried(t, a, in); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// A mail address among signs that no address has is the one that stands alone elsewhere, and nothing looks like a real one.
func TestMailsAmongSigns(t *testing.T) {
	a := anonymizer(t, 1)
	mail := queried(t, a, "bob.x1@qq.test")
	for in, want := range map[string]string{
		"*bob.x1@qq.test*":                                            `^\*MAIL\*$`,
		"mail:+bob.x1@qq.test%5Cn":                                    `^[a-z]{4}: MAIL\\[a-z]$`,
		"bob.x1@qq.test%7Ccc:bob.x1@qq.test":                          `^MAIL\|[a-z]{2}:MAIL$`,
		"%E9%82%AE%E7%AE%B1%EF%BC%9Abob.x1@qq.test%E3%80%82":          `^.+MAIL\x{3002}$`,
		"%E9%82%AE%E7%AE%B1%EF%BC%9Abob.x1@qq.test%E3%80%82%E8%B0%A2": `^.+MAIL\x{3002}.$`,
		"~a@b~Bob.X1@qq.test.~":                                       `^~[a-z]@[a-z]~MAIL\.~$`,
		"`bob.x1@qq.test`@":                                           "^`MAIL`@$",
	} {
		want = strings.NewReplacer("MAIL", regexp.QuoteMeta(mail)).Replace(want)
		if got := queried(t, a, in); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}
