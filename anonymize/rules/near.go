package rules

// near is a hint at the known name that is at most two edits away from a name, or empty.
func near(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if n := edits(name, k); n < least && n < len(k) {
			best, least = k, n
		}
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + best + "?"
}

// edits is the Levenshtein distance in bytes; a long name is far from everything.
func edits(a, b string) int {
	if len(a) > MaxKey || len(b) > MaxKey {
		return MaxKey
	}
	var row [MaxKey + 1]int
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
