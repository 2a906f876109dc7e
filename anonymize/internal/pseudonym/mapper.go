package pseudonym

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"hash"
	"sync"
)

// KeySize is the length of a master key in bytes.
const KeySize = 32

// Subkey derives the key of one entity and class from the master key (HKDF-SHA-256, RFC 5869).
func Subkey(master []byte, entity, class string) []byte {
	key, err := hkdf.Key(sha256.New, master, nil, "reprise/anon/v1/"+entity+"/"+class, KeySize)
	if err != nil {
		panic("pseudonym: " + err.Error()) // only for a length that HKDF cannot give
	}
	return key
}

// Mapper maps the values of one entity: one value, one pseudonym, wherever it stands. It is not safe for
// concurrent use; Fork gives another one with the same keys and tables.
type Mapper struct {
	shared *shared
	perms  map[domain]Perm
	mac    hash.Hash
	label  [2]byte
	sum    [sha256.Size]byte
	pool   bitPool
	lower  []byte // scratch: a value in its normal form

	texts          *feistel   // of texts, for one size after another
	layout, result []*symbols // scratch: of a text and of its pseudonym
}

// shared is what all forks of a Mapper have in common.
type shared struct {
	master []byte
	entity string
	macKey []byte
	// textKey is that of the permutations of texts above textTable.
	textKey []byte
	mu      sync.Mutex
	tables  map[domain]table
}

// domain names one permutation.
type domain struct {
	class string
	size  uint64
}

// NewMapper returns the Mapper of an entity. The master key has KeySize bytes and is kept.
func NewMapper(master []byte, entity string) *Mapper {
	s := &shared{master: master, entity: entity, tables: make(map[domain]table)}
	s.macKey, s.textKey = Subkey(master, entity, "text"), Subkey(master, entity, "runs")
	return s.mapper()
}

// Fork returns a Mapper for another worker.
func (m *Mapper) Fork() *Mapper { return m.shared.mapper() }

func (s *shared) mapper() *Mapper {
	return &Mapper{shared: s, perms: make(map[domain]Perm), mac: hmac.New(sha256.New, s.macKey), texts: newFeistel(s.textKey, 1)}
}

// perm finds or makes the permutation of a domain.
func (m *Mapper) perm(class string, size uint64) Perm {
	d := domain{class, size}
	if p := m.perms[d]; p != nil {
		return p
	}
	p := m.shared.perm(d)
	m.perms[d] = p
	return p
}

func (s *shared) perm(d domain) Perm {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tables[d]; ok {
		return t
	}
	p := NewPerm(Subkey(s.master, s.entity, d.class), d.size)
	if t, ok := p.(table); ok {
		s.tables[d] = t
	}
	return p
}

// Sum is the HMAC of the parts under a label that separates uses. Each part is preceded by its length, so
// that no two lists of parts are the same text. The result is valid until the next call.
func (m *Mapper) Sum(label byte, parts ...[]byte) *[sha256.Size]byte {
	m.mac.Reset()
	m.label[0] = label
	m.mac.Write(m.label[:1])
	for _, p := range parts {
		m.length(len(p))
		m.mac.Write(p)
	}
	m.mac.Sum(m.sum[:0])
	return &m.sum
}

func (m *Mapper) length(n int) {
	for ; n >= 255; n -= 255 {
		m.label[1] = 255
		m.mac.Write(m.label[1:])
	}
	m.label[1] = byte(n)
	m.mac.Write(m.label[1:])
}

// bitPool deals out the bits of one HMAC and stretches it by hashing on.
type bitPool struct {
	at    int // next byte of sum
	block byte
	seed  [sha256.Size]byte
}

// start fills the pool from a value.
func (m *Mapper) start(label byte, value []byte) {
	m.Sum(label, value)
	m.pool = bitPool{seed: m.sum}
}

// next is 16 bits from the pool.
func (m *Mapper) next() uint32 {
	if m.pool.at == len(m.sum) {
		m.pool.block++
		m.mac.Reset()
		m.label[0], m.label[1] = labelStretch, m.pool.block
		m.mac.Write(m.label[:])
		m.mac.Write(m.pool.seed[:])
		m.mac.Write(m.sum[:]) // so that more than 256 blocks do not repeat
		m.mac.Sum(m.sum[:0])
		m.pool.at = 0
	}
	v := uint32(m.sum[m.pool.at])<<8 | uint32(m.sum[m.pool.at+1])
	m.pool.at += 2
	return v
}

// pick is one of n values, n up to 1,024; the bias is below n/65536.
func (m *Mapper) pick(n uint32) uint32 { return m.next() * n >> 16 }

// draw is one of n values, n below 2^31; the bias is below n/2^32.
func (m *Mapper) draw(n uint64) uint64 {
	v := uint64(m.next())<<16 | uint64(m.next())
	return v * n >> 32
}

// Labels separate the uses of the one HMAC key.
const (
	labelStretch byte = iota
	labelText
	labelNumber
	labelUUID
	labelMail
	labelHost
	labelName
	labelNoise
	labelCard
	labelResident
	labelIBAN
	// LabelUser is for identities of users that are known by name.
	LabelUser
	// LabelClient is for identities of users that are known by their client only.
	LabelClient
	// LabelAgent is for user agents as part of an identity.
	LabelAgent
)
