// Package pseudonym turns values into keyed pseudonyms of the same shape. It knows shapes, not where a
// value stood: package anonymize decides what is replaced.
//
//   - Numbers, dates, and texts of few letters and digits go through a keyed permutation of exactly the values of
//     their class (width, leading zero, int32, int64; the layout of a text), so two of them never become one.
//   - Phone numbers keep prefix and country code, degrees their range, bank accounts (IBAN) their country; what is left
//     goes through such a permutation too, and check digits are redone.
//   - Longer texts, mail addresses, payment cards and Chinese resident numbers get HMAC-SHA-256 output in their own layout,
//     with valid check digits.
//   - Addresses go through a permutation that leaves special blocks in place, prefix-preserving (Prefix) or not (Flat), or
//     into blocks where nobody lives (Docs), where two can meet.
//
// Every class has its own subkey (HKDF-SHA-256), named "reprise/anon/v1/ENTITY/CLASS".
//
// The permutations can be undone by who has the key; nothing here can be undone without it.
package pseudonym
