// Package audit looks for personal values that are left in a trace: the evidence on which somebody signs it off.
//
// It shares no tokenizer, no decoder and no detector with the package anonymize, so that what one of them overlooks the
// other one can find: values are cut into runs of letters and digits after all encodings are undone, and patterns are
// regular expressions. What may stay it knows from the same contract, which is the rules and the path templates, and it
// leaves out the places that these let stay, not the words: a word of a template is a finding where it stands as a value.
//
// With the raw log at hand it keeps a hash of 54 bits of every value at a place where nothing may stay, under a seed of
// the run and in memory only, and looks for them in the trace. A pseudonym of eight digits is another user's number now
// and then, so the findings of one layout are compared with those that chance explains: raw values times values of the
// trace, divided by the number of values that the layout has. More than that by a Poisson tail below 10^-6 is a leak.
//
// No report holds a value of the log or of the trace: records are named by their number, values by their layout.
package audit
