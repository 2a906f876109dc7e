// Package bind ties the pseudonyms of a plan to the ids of the environment's fixture data set, and gives
// requests the headers and bodies that no access log holds.
//
// Rules (bind.yaml) say where ids stand; the Catalogue lists what the fixture has. A Binder is shown the
// whole plan, decides, and rewrites it:
//
//	for a := range arrivals { b.Learn(a) }
//	b.Settle()
//	for a := range arrivals { b.Apply(a); write(a) }
//
// The hottest pseudonym gets the first id of a seeded permutation of the fixture's ids, the second hottest
// the second, so the skew of production survives and no artefact "hot ids are neighbours" is made. What
// production answered with 404 every time gets an id that the fixture does not have. Something owned is
// bound among the things of its owner's fixture user, and what a user was refused among the things of
// others, so that 200 stays 200 and 403 stays 403. With more pseudonyms than ids some share one; the
// Report says how many.
//
// The result depends on the set of arrivals, the rules, the catalogue and the seed, and not on the order
// in which Learn saw the arrivals; Apply goes along the plan, because a body names what its user touched
// last.
package bind
