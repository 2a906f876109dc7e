package pseudonym_test

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reprise/anonymize/internal/pseudonym"

	"pgregory.net/rapid"
)

// Published examples of check digits, and what is next to them.
func TestCheckDigits(t *testing.T) {
	f := func(is func([]byte) bool, want bool, examples ...string) {
		t.Helper()
		for _, s := range examples {
			if is([]byte(s)) != want {
				t.Errorf("%s: %v, want %v", s, !want, want)
			}
		}
	}
	f(pseudonym.IsCard, true, "4111111111111111", "4012888888881881", "5555555555554444", "5105105105105100", "2223003122003222",
		"378282246310005", "371449635398431", "6011111111111117", "3530111333300000", "6200000000000005", "30569309025904", "36227206271667",
		"4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005")
	f(pseudonym.IsCard, false, "4222222222222", "4111111111111112", "1700000000004", "0.4111111111111111", "20260101000004", "150000000000001", "490154203237518",
		"4111 1111-1111 1111", "4111  1111 1111 1111", "4111 1111 1111 1111 ", " 4111111111111111", "41111111111111111", "411111111111", "7992739871300000",
		"411111111111111a", "")
	f(pseudonym.IsResident, true, "11010519491231002X", "11010519491231002x", "34052419800101001X", "53010219200508011X")
	f(pseudonym.IsResident, false, "110105194912310021", "11010519490231002X", "11010518491231002X", "01010519491231002X", "1101051949123100", "A1010519491231002X")
	f(pseudonym.IsIBAN, true, "GB82WEST12345698765432", "GB29 NWBK 6016 1331 9268 19", "DE89370400440532013000", "de89 3704 0044 0532 0130 00",
		"FR1420041010050500013M02606", "NO9386011117947", "MT84MALT011000012345MTLCAST001S", "SA0380000000608010167519", "LC55HEMM000100010012001200023015")
	f(pseudonym.IsIBAN, false, "GB82WEST12345698765433", "DE8937040044053201300", "XX89370400440532013000", "DE89  370400440532013000", "DE89370400440532013000 ",
		"D E89370400440532013000-", "1289370400440532013000", "ABCDEFGHIJKLMNOPQRSTUV", "")
	f(pseudonym.IsPhone, true, "+8613800138000", "008613800138000", "+86 138-0013-8000", " 8613800138000", "+36301234567", "0036301234567",
		"+1 (202) 555-0123", "+49.30.123456", "+3541234567", "+2908123")
	f(pseudonym.IsPhone, false, "13800138000", "+0013800138000", "00123456789", "+999123456789", "+2101234567", "+86138001380001234", "+86 138 0013 800a",
		"+123456", "+", "", "+86--- 13800138000", "+1 202 555 0123 ", "0000123456789")
	f(pseudonym.IsMail, true, "a@b.example", "A.b+c@corp.example", "a@b@corp.example", "alice\uff20corp.example", "\uff41lice@corp\uff0eexample", "{a}@x.y", "o'k@x.y",
		"m\u00fcller@b\u00fccher.example")
	f(pseudonym.IsMail, false, "a@b", "@b.example", "a@.example", "a@b.", "a b@c.example", "a@b.c/d", "mailto:a@b.example", "a@b.example)", "a@", "", "a.b")
	f(func(s []byte) bool { return pseudonym.IsDegrees(s, pseudonym.MaxLatitude) }, true, "52.5200066", "-71.3", "0.000", "90.0", "-90.000")
	f(func(s []byte) bool { return pseudonym.IsDegrees(s, pseudonym.MaxLatitude) }, false, "52", "90.1", "-90.01", "+1.5", "01.5", ".5", "5.", "-0.0", "1.2.3",
		"1.1234567890123456", "1234.5", "")
}

// What a value is, its pseudonym is as well, in the same width and with the same separators.
func TestFormatsStayValid(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	f := func(appendTo func(dst, s []byte) []byte, is func([]byte) bool, form string, examples ...string) {
		t.Helper()
		for _, in := range examples {
			out := string(appendTo(nil, []byte(in)))
			if !is([]byte(out)) || out == in || len(out) != len(in) || !regexp.MustCompile("^(?:"+form+")$").MatchString(out) {
				t.Errorf("%s became %s, want a valid one of the form %s", in, out, form)
			}
		}
	}
	f(m.AppendCard, pseudonym.IsCard, `400000\d+`, "4111111111111111", "4012888888881881")
	f(m.AppendCard, pseudonym.IsCard, `4000-00\d\d-\d{4}-\d{4}`, "4111-1111-1111-1111")
	f(m.AppendCard, pseudonym.IsCard, `3782 82\d{4} \d{5}`, "3714 496353 98431")
	f(m.AppendCard, pseudonym.IsCard, `(555555|378282|601111|620000|356600|305693|362272|385200|675964|220000)\d+`, "5105105105105100", "2223003122003222",
		"371449635398431", "6011000990139424", "6250947000000014", "3530111333300000", "30569309025904", "36227206271667", "38520000023237",
		"6759649826438453", "2200123456789010")
	f(m.AppendResident, pseudonym.IsResident, `99\d{4}(19[3-9]\d|20[0-2]\d)\d{7}[0-9X]`, "11010519491231002X", "34052419800101001X")
	f(m.AppendIBAN, pseudonym.IsIBAN, `DE\d{20}`, "DE89370400440532013000")
	f(m.AppendIBAN, pseudonym.IsIBAN, `de\d\d(?: \d{4}){4} \d\d`, "de89 3704 0044 0532 0130 00")
	f(m.AppendIBAN, pseudonym.IsIBAN, `GB\d\d [A-Z]{4}(?: \d{4}){3} \d\d`, "GB29 NWBK 6016 1331 9268 19")
	f(m.AppendIBAN, pseudonym.IsIBAN, `FR\d{19}[A-Z]\d{5}`, "FR1420041010050500013M02606")
	f(m.AppendPhone, pseudonym.IsPhone, `\+86 1[3-9]\d-\d{4}-\d{4}`, "+86 138-0013-8000")
	f(m.AppendPhone, pseudonym.IsPhone, `\+1 \([1-9]\d\d\) \d{3}-\d{4}`, "+1 (202) 555-0123")
	f(m.AppendPhone, pseudonym.IsPhone, `00363\d{8}|0036\d{9}`, "0036301234567")
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`(\+|00| )(86|1|49|7|36|420)[ -]?[0-9]{3}[ -]?[0-9]{4,6}`).Draw(t, "phone")
		if out := m.AppendPhone(nil, []byte(in)); pseudonym.IsPhone([]byte(in)) && (!pseudonym.IsPhone(out) || len(out) != len(in)) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}

// One phone number has one pseudonym in all its forms.
func TestPhoneFormsAgree(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	number := string(m.AppendInt(nil, []byte("13800138000")))
	if !regexp.MustCompile(`^1[3-9]\d{9}$`).MatchString(number) {
		t.Fatalf("the number became %s", number)
	}
	for in, want := range map[string]string{"+8613800138000": "+86" + number, "008613800138000": "0086" + number, " 8613800138000": " 86" + number,
		"+86 138-0013-8000": "+86 " + number[:3] + "-" + number[3:7] + "-" + number[7:], "+86 (138) 0013.8000": "+86 (" + number[:3] + ") " + number[3:7] + "." + number[7:]} {
		if got := string(m.AppendPhone(nil, []byte(in))); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// One card or account has one pseudonym in all its forms.
func TestSeparatorsAndCaseDoNotCount(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	plain := string(m.AppendCard(nil, []byte("4111111111111111")))
	for _, in := range []string{"4111 1111 1111 1111", "4111-1111-1111-1111", "411111 1111 111111"} {
		if got := string(m.AppendCard(nil, []byte(in))); strings.NewReplacer(" ", "", "-", "").Replace(got) != plain {
			t.Errorf("%s became %s, plain %s", in, got, plain)
		}
	}
	plain = string(m.AppendIBAN(nil, []byte("FR1420041010050500013M02606")))
	if got := string(m.AppendIBAN(nil, []byte("fr14 2004 1010 0505 0001 3m02 606"))); strings.ToUpper(strings.ReplaceAll(got, " ", "")) != plain {
		t.Errorf("spaces and case: %s, plain %s", got, plain)
	}
	if a, b := string(m.AppendResident(nil, []byte("11010519491231002X"))), string(m.AppendResident(nil, []byte("11010519491231002x"))); !strings.EqualFold(a, b) {
		t.Errorf("case of the check character: %s and %s", a, b)
	}
	mail := string(m.AppendMail(nil, []byte("alice@corp.example")))
	for _, in := range []string{"Alice@Corp.Example", "alice\uff20corp.example", "\uff21lice@corp\uff0eexample"} {
		if got := string(m.AppendMail(nil, []byte(in))); got != mail {
			t.Errorf("%s became %s, want %s", in, got, mail)
		}
	}
}

// Every date of birth of a pseudonym exists and lies where people live.
func TestResidentBirthDates(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	seen := make(map[string]bool)
	n := 0
	for day := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2100; day = day.AddDate(0, 0, 1) {
		for x := range 2 {
			in := fmt.Sprintf("110105%s00%d", day.Format("20060102"), x)
			for _, check := range "0123456789X" {
				if s := in + string(check); pseudonym.IsResident([]byte(s)) {
					out := string(m.AppendResident(nil, []byte(s)))
					if year, err := strconv.Atoi(out[6:10]); err != nil || year < 1930 || year > 2029 || !pseudonym.IsResident([]byte(out)) {
						t.Fatalf("%s became %s", s, out)
					}
					seen[out] = true
					n++
				}
			}
		}
	}
	if n != 73049*2 {
		t.Errorf("%d numbers are valid, want two for each day", n)
	}
	if merged := n - len(seen); merged > 3 { // n*n/7e11 = 0.03 expected
		t.Errorf("%d of %d numbers merged", merged, n)
	}
}

// Accounts of one layout never merge.
func TestIBANIsInjective(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	const n = 100_000
	out := make([]string, n)
	for i := range n {
		account := fmt.Sprintf("3704004405320%05d", i)
		v, _ := new(big.Int).SetString(account+"131400", 10)
		in := fmt.Sprintf("DE%02d%s", 98-v.Mod(v, big.NewInt(97)).Int64(), account)
		if !pseudonym.IsIBAN([]byte(in)) {
			t.Fatalf("%s is none", in)
		}
		out[i] = string(m.AppendIBAN(nil, []byte(in)))
	}
	slices.Sort(out)
	if got := len(slices.Compact(out)); got != n {
		t.Errorf("%d accounts have %d pseudonyms", n, got)
	}
}

// The whole domain of degrees with two decimals, and samples with seven.
func TestDegreesAreAPermutation(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	f := func(limit, decimals, step int) {
		t.Helper()
		seen := make(map[string]bool)
		n, most := 0, limit
		for range decimals {
			most *= 10
		}
		for v := -most; v <= most; v += step {
			in := []byte(strconv.FormatFloat(float64(v)/float64(most/limit), 'f', decimals, 64))
			out := m.AppendDegrees(nil, in, limit)
			if !pseudonym.IsDegrees(in, limit) || !pseudonym.IsDegrees(out, limit) || len(out)-strings.IndexByte(string(out), '.') != decimals+1 {
				t.Fatalf("%s became %s", in, out)
			}
			seen[string(out)] = true
			n++
		}
		if len(seen) != n {
			t.Errorf("%d values within %d have %d pseudonyms", n, limit, len(seen))
		}
	}
	f(pseudonym.MaxLatitude, 2, 1)
	f(pseudonym.MaxLongitude, 3, 1)
	f(pseudonym.MaxLongitude, 7, 77_777)
}

func TestMailsDoNotMerge(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	const n = samples
	seen := make(map[[16]byte]struct{}, n)
	var in, out []byte
	for i := range n {
		in = append(strconv.AppendInt(append(in[:0], 'u'), int64(i), 10), "@corp.example"...)
		out = m.AppendMail(out[:0], in)
		seen[[16]byte(out)] = struct{}{}
	}
	if len(seen) != n {
		t.Errorf("%d mails have %d pseudonyms", n, len(seen))
	}
}

func TestFormatsAllocateNothing(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	card, id, iban, drawn := []byte("4111111111111111"), []byte("11010519491231002X"), []byte("DE89370400440532013000"), []byte("GB29NWBK60161331926819")
	tel, lat, mail := []byte("+86 138-0013-8000"), []byte("52.5200066"), []byte("alice\uff20corp.example")
	var dst []byte
	if n := testing.AllocsPerRun(100, func() {
		dst = m.AppendCard(dst[:0], card)
		dst = m.AppendResident(dst[:0], id)
		dst = m.AppendIBAN(dst[:0], iban)
		dst = m.AppendIBAN(dst[:0], drawn)
		dst = m.AppendPhone(dst[:0], tel)
		dst = m.AppendDegrees(dst[:0], lat, pseudonym.MaxLatitude)
		dst = m.AppendMail(dst[:0], mail)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever comes in: no detector panics, and what one takes is replaced by something that it takes again.
func FuzzFormats(f *testing.F) {
	for _, s := range []string{"4111-1111-1111-1111", "11010519491231002X", "GB29 NWBK 6016 1331 9268 19", "+1 (202) 555-0123", "52.5200066", "a@b\uff20c.d", "2024-02-29"} {
		f.Add([]byte(s))
	}
	m := pseudonym.NewMapper(master(1), "id")
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, form := range []struct {
			is       func([]byte) bool
			appendTo func(dst, s []byte) []byte
		}{{pseudonym.IsCard, m.AppendCard}, {pseudonym.IsResident, m.AppendResident}, {pseudonym.IsIBAN, m.AppendIBAN}, {pseudonym.IsPhone, m.AppendPhone},
			{pseudonym.IsMail, m.AppendMail}, {pseudonym.IsDate, m.AppendDate}} {
			if form.is(in) && !form.is(form.appendTo(nil, in)) {
				t.Fatalf("%q lost its form", in)
			}
		}
		for _, limit := range []int{pseudonym.MaxLatitude, pseudonym.MaxLongitude} {
			if pseudonym.IsDegrees(in, limit) && !pseudonym.IsDegrees(m.AppendDegrees(nil, in, limit), limit) {
				t.Fatalf("%q left the range", in)
			}
		}
	})
}

func BenchmarkFormats(b *testing.B) {
	m := pseudonym.NewMapper(master(1), "id")
	for in, f := range map[string]func(dst, s []byte) []byte{"4111111111111111": m.AppendCard, "11010519491231002X": m.AppendResident,
		"DE89370400440532013000": m.AppendIBAN, "+8613800138000": m.AppendPhone, "alice@corp.example": m.AppendMail} {
		b.Run(in, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			value := []byte(in)
			var dst []byte
			for b.Loop() {
				dst = f(dst[:0], value)
			}
		})
	}
}
