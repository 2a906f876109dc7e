package anonymize

import (
	"reprise/anonymize/endpoint"
	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
)

// maxDepth bounds how many layers of JSON, base64 and tokens are opened in one another; what lies deeper is text.
const maxDepth = 4

// shapeOf tells how a decoded value of e is replaced. It decides the form of a pseudonym, never whether there is one.
func (a *Anonymizer) shapeOf(text []byte, e *entity) kind {
	switch {
	case e.format == rules.Text:
		return kindText
	case e.format == rules.Int && onlyDigits(text):
		return kindInt
	}
	switch endpoint.Classify(text) {
	case endpoint.Int:
		return numberShape(text)
	case endpoint.UUID:
		return kindUUID
	case endpoint.Date:
		if pseudonym.IsDate(text) {
			return kindDate
		}
	case endpoint.Hex:
		if pseudonym.IsIBAN(text) {
			return kindAccount
		}
	case endpoint.PrefixInt:
		if k := a.opaqueShape(text); k != kindText {
			return k
		}
		return kindNumbered
	case endpoint.Word:
		return a.opaqueShape(text)
	case endpoint.IP, endpoint.Mail, endpoint.Token:
		return a.compoundShape(text)
	}
	return kindText
}

// numberShape is the shape of decimal digits. A resident number has 18, so that it is looked for before cards.
func numberShape(digits []byte) kind {
	switch {
	case pseudonym.IsResident(digits):
		return kindResident
	case pseudonym.IsCard(digits):
		return kindCard
	case pseudonym.IsPhone(digits):
		return kindPhone
	}
	return kindInt
}

// opaqueShape is the shape of a run of letters and digits that is no number.
func (a *Anonymizer) opaqueShape(text []byte) kind {
	switch {
	case pseudonym.IsResident(text):
		return kindResident
	case pseudonym.IsIBAN(text):
		return kindAccount
	case a.isEncoded(text):
		return kindBase64
	}
	return kindText
}

// compoundShape is the shape of a value with separators, or without a plain form.
func (a *Anonymizer) compoundShape(text []byte) kind {
	if _, _, ok := endpoint.ParseAddress(text); ok {
		return kindAddress
	}
	switch {
	case pseudonym.IsMail(text):
		if isList(text) { // a mail address may hold separators too
			return kindList
		}
		return kindMail
	case pseudonym.IsPhone(text):
		return kindPhone
	case pseudonym.IsCard(text):
		return kindCard
	case a.depth < maxDepth && isJWT(text):
		return kindJWT
	case a.depth < maxDepth && isJSON(text):
		return kindJSON
	}
	if k := a.opaqueShape(text); k != kindText {
		return k
	}
	switch {
	case isList(text):
		return kindList
	case isPair(text):
		return kindPair
	case wordLength(text) < len(text):
		return kindWords
	}
	if _, _, ok := mailIn(text); ok {
		return kindMails
	}
	return kindText
}

// degreesLimit is the greatest value at a key that names a latitude or a longitude, 0 for all other keys.
func degreesLimit(key []byte) int {
	var buf [len("longitude")]byte
	if len(key) > len(buf) {
		return 0
	}
	switch string(rules.AppendLower(buf[:0], key)) {
	case "lat", "latitude":
		return pseudonym.MaxLatitude
	case "lng", "lon", "long", "longitude":
		return pseudonym.MaxLongitude
	}
	return 0
}

// degrees appends the pseudonym of a decoded latitude or longitude, and reports whether text is one by its key and its form.
func (a *Anonymizer) degrees(dst, key, text []byte, e *entity) ([]byte, bool) {
	limit := degreesLimit(key)
	if limit == 0 || !pseudonym.IsDegrees(text, limit) {
		return dst, false
	}
	a.counts.replaced[kindDegrees]++
	return e.mapper.AppendDegrees(dst, text, limit), true
}
