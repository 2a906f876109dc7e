package anonymize_test

import "testing"

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
