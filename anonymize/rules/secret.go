package rules

// MaxKey is the longest query key that rules can name, in bytes.
const MaxKey = 40

// secretWords name values that must not work any more, nor link anything.
var secretWords = set(`password passwd passwort pwd pass passphrase secret token auth authorization sig signature apikey otp pin
	cvv cvc session sessionid sid phpsessid jsessionid aspsessionid jwt bearer credential credentials hmac nonce csrf xsrf csrftoken
	ticket code accesskey privatekey secretkey sessionkey authkey authtoken accesstoken`)

func (r *Rules) isSecretWord(w []byte) bool { return secretWords[string(w)] || r.secrets[string(w)] }

// IsSecret tells whether a key names a secret, by the built-in words and those of the rules. Words end at _ - . and
// other signs, and where the case rises, so that authToken has "token" and monkey does not have "key". It does not
// allocate.
func (r *Rules) IsSecret(key []byte) bool {
	var pair [2 * MaxKey]byte // the word before, and this one
	before, n := 0, 0
	for i := 0; i <= len(key); i++ {
		letter := i < len(key) && isLetter(key[i])
		rises := letter && key[i] < 'a' && i > 0 && key[i-1] >= 'a' && key[i-1] <= 'z'
		if (!letter || rises) && n > before {
			if r.isSecretWord(pair[before:n]) || r.isSecretWord(pair[:n]) {
				return true
			}
			copy(pair[:], pair[before:n])
			before, n = n-before, n-before
		}
		if letter && n < len(pair) {
			if n == before && before > MaxKey {
				before, n = 0, 0
			}
			pair[n] = key[i] | 0x20
			n++
		}
	}
	return false
}
