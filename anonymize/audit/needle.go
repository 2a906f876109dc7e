package audit

// needles finds many texts in one pass: by their first four bytes, which few places of a trace share with any.
type needles struct {
	texts  [][]byte // each of at least prefixBytes
	filter [1 << 10]uint64
	first  map[uint32][]int // texts by their first bytes
}

// prefixBytes is the length of the shortest text.
const prefixBytes = 4

func prefixOf(s []byte) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// filterBit is the place of a prefix in the filter.
func filterBit(p uint32) (word, bit uint32) {
	h := p * 0x9e3779b1 >> 16
	return h >> 6, h & 63
}

// add adds a text and returns its number.
func (n *needles) add(text []byte) int {
	if n.first == nil {
		n.first = make(map[uint32][]int)
	}
	p := prefixOf(text)
	word, bit := filterBit(p)
	n.filter[word] |= 1 << bit
	n.first[p] = append(n.first[p], len(n.texts))
	n.texts = append(n.texts, text)
	return len(n.texts) - 1
}

// find yields the number of each text that stands in s, and where.
func (n *needles) find(s []byte, yield func(text, at int)) {
	for i := 0; i+prefixBytes <= len(s); i++ {
		p := prefixOf(s[i:])
		if word, bit := filterBit(p); n.filter[word]>>bit&1 == 0 {
			continue
		}
		for _, k := range n.first[p] {
			if t := n.texts[k]; len(s)-i >= len(t) && string(s[i:i+len(t)]) == string(t) {
				yield(k, i)
			}
		}
	}
}
