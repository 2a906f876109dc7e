// Package bind ties the pseudonyms of a plan to the ids of the environment's fixture data set, and gives
// requests the headers and bodies that no access log holds.
//
// The hottest pseudonym gets the first id of a seeded permutation of the fixture's ids, the second hottest
// the second, so the skew of production survives and no artefact "hot ids are neighbours" is made. What
// production answered with 404 every time gets an id that the fixture does not have. Something owned is
// bound among the things of its owner's fixture user, so that 200 stays 200 and 403 stays 403.
package bind
