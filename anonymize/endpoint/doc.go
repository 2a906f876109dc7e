// Package endpoint finds the path templates of a service in its traffic: /p/4711 and /p/4712 are one
// endpoint, /p/{int}. It imports nothing of reprise and keeps no client, only bits that count them.
//
// A template says two things. It groups requests, and it says which segments of a path may stay as the
// log has them: a literal segment is kept by package anonymize, every other one is replaced.
//
// # Learning
//
// Learner reduces each path: the query is not part of it, empty segments and ;parameters are dropped, a
// known file extension is kept, and a segment that looks like an identifier (Class) becomes {int}, {uuid},
// {hex} and so on by one pass over its bytes. Only answers 2xx and 3xx teach, so that a scanner's guesses
// make no endpoint. Distinct reduced paths are counted exactly up to Limit and Room; beyond them those with the
// smallest xxhash stay (bottom-k), whose counts are exact as well. A learner is therefore a pure function
// of the set of requests: order, splitting and merging cannot change it.
//
// Set builds a trie of the reduced paths and merges words into {word}, top down:
//
//   - privacy: a word stays only if it is vocabulary (below);
//   - size: where a node has more than 64 literal children, a word also needs 1 % of the node's hits and
//     16 distinct clients; the first segment is exempt from this rule.
//
// # What is vocabulary
//
// A word that many clients ask for is the service's own; a word that one client asks for may be that
// client's name. The bar is 16 distinct clients where the log has 64 clients or more. A smaller log could
// not pass it at all, so there the bar is a part of its clients: a quarter but at least 5 from 16 clients
// on, and a third but at least 2 below. Two is the least that can tell the service's word from a client's
// own; in such a log a name that two clients ask for can stay, so review the file. Beside that, the
// words of a fixed public list (api, users, login, static ...) always stay: they say nothing about anyone.
// Clients are counted by a 64-bit map of hashed clients, which can only count too few: it errs to the safe
// side. An IPv6 address counts by its first 56 bits (ClientHash): one person has many addresses. A log whose
// clients all look alike (one proxy address) keeps no other words than the fixed ones; there, give the
// templates by a file.
//
// Names of query parameters are words in the same sense: AddTarget counts them, and those below the bar
// are replaced like values, but for a fixed list (page, id, q ...).
//
// Values of query parameters are counted only of the keys that WatchValues names, those for which rules have
// top(N), and stay by the same bar when they look like words or are numbers of up to four digits.
//
// Words of a templates file are taken as reviewed, and stay. So are those of an OpenAPI or Swagger description, which Read
// takes in its place: its paths, the names of its query parameters, and the values that those list.
package endpoint
