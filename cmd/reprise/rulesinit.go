package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
)

func initRulesFlag() *cli.BoolFlag {
	return &cli.BoolFlag{Name: "init-rules", Usage: "write the built-in rules with comments on these logs to -o, instead of a trace"}
}

// initRules writes the built-in rules as a file to review and to give back with --rules. Its comments say what the logs
// contain, names that are vocabulary and shapes of values, never a value.
func (s *shell) initRules(ctx context.Context, o anonymizeOptions, name string, force bool) error {
	out, err := create(name, force, s.out, o.logs.inputs()...)
	if err != nil {
		return err
	}
	defer out.discard()
	finish, err := o.logs.rejectsTo(force)
	if err != nil {
		return err
	}
	err = func() error {
		set, err := s.templates(ctx, o.endpoints, o.logs)
		if err != nil {
			return err
		}
		survey := anonymize.NewSurvey(set)
		unread, err := s.survey(ctx, o.logs, survey)
		if err != nil {
			return err
		}
		found := survey.Findings()
		if _, err := out.Write(rules.Commented(about(found), suggest(found))); err != nil {
			return err
		}
		if err := out.commit(); err != nil {
			return errors.Join(err, unread)
		}
		fmt.Fprintln(s.err, "the rules are what holds without them: read the comments, change what needs it, and give the file with --rules")
		return unread
	}()
	return finish(err)
}

// survey reads the logs. unread says which of them could not be.
func (s *shell) survey(ctx context.Context, o logOptions, survey *anonymize.Survey) (unread, err error) {
	o.ingest.SkipHash = true
	r, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s.announce(r.Report())
	for rec, err := range r.Records(ctx) {
		if err != nil {
			return nil, inputFailure(err)
		}
		survey.Add(rec)
	}
	return unreadable(r.Report()), o.check(r.Report())
}

// maxListed is the number of places of each kind that the comments list.
const maxListed = 30

// about are comments on what a log contains.
func about(f anonymize.Findings) []string {
	lines := []string{"", fmt.Sprintf(" The log has %s requests; %s name a user, %s a referer. Where values stand, in how many requests, and what they look like:",
		thousands(f.Requests), thousands(f.Users), thousands(f.Referers))}
	kinds := []string{rules.Path: "paths", rules.Query: "query", rules.Cookie: "cookies", rules.Header: "headers"}
	for kind, title := range kinds {
		n := 0
		for _, p := range f.Places {
			if int(p.Kind) != kind {
				continue
			}
			if n++; n > maxListed {
				continue
			}
			name := p.Name
			if p.Kind == rules.Path {
				name = fmt.Sprintf("%s, segment %d", p.Name, p.Segment+1)
			}
			if n == 1 {
				lines = append(lines, " "+title+":")
			}
			lines = append(lines, fmt.Sprintf("   %s: %s: %s", name, thousands(p.Requests), strings.Join(p.Shapes, ", ")))
		}
		if n > maxListed {
			lines = append(lines, fmt.Sprintf("   and %d others", n-maxListed))
		}
	}
	if f.Others > 0 {
		lines = append(lines, fmt.Sprintf(" %s values stand under names that are no vocabulary and are replaced too.", thousands(f.Others)))
	}
	return lines
}

// suggestion is an entity that the log may have.
type suggestion struct {
	name  string
	at    []string
	notes []string
}

// suggest are lines of entities by the names of places whose values look like ids. Together they are rules: a place that
// another one takes already is left out.
func suggest(f anonymize.Findings) []string {
	var all []*suggestion
	for _, p := range f.Places {
		name, at := entityAt(p)
		if !p.IDs || name == "" {
			continue
		}
		i := slices.IndexFunc(all, func(s *suggestion) bool { return s.name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &suggestion{name: name})
		}
		e := all[i]
		e.at = append(e.at, at)
		if _, err := rules.Parse([]byte("anonymize: {entities: {" + strings.Join(lines(all), ", ") + "}}")); err != nil {
			e.at = e.at[:len(e.at)-1]
		} else {
			e.notes = append(e.notes, fmt.Sprintf("%s requests, %s", thousands(p.Requests), p.Shapes[0]))
		}
		if len(e.at) == 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
	text := lines(all)
	for i, e := range all {
		text[i] += " # " + strings.Join(e.notes, "; ")
	}
	return text
}

func lines(all []*suggestion) []string {
	var text []string
	for _, e := range all {
		text = append(text, fmt.Sprintf("%s: {at: ['%s']}", e.name, strings.Join(e.at, "', '")))
	}
	return text
}

// userNames are names of places that tell who sent a request.
var userNames = []string{"uid", "user", "userid", "username", "customer", "customerid", "account", "accountid", "member", "memberid", "login", "clientid"}

// entityAt names the entity whose values may stand at a place, and the place as rules have it. Secrets are no entities.
func entityAt(p anonymize.Finding) (entity, at string) {
	if rules.Default().IsSecret([]byte(p.Name)) && p.Kind != rules.Path {
		return "", ""
	}
	name := strings.TrimPrefix(strings.ToLower(p.Name), "x-")
	switch p.Kind {
	case rules.Path:
		name, at = pathEntity(p)
	case rules.Query:
		if rules.Default().Allow[0].Query[p.Name] != nil { // its values stay
			return "", ""
		}
		at = "query:" + p.Name
	case rules.Cookie:
		at = "cookie:" + p.Name
	case rules.Header:
		at = "header:" + p.Name
	default:
		return "", ""
	}
	joined := strings.NewReplacer("_", "", "-", "").Replace(name)
	if slices.Contains(userNames, joined) {
		return "user", at
	}
	for _, end := range []string{"_id", "-id", "id"} {
		if base, ok := strings.CutSuffix(name, end); ok && len(base) > 1 {
			return base, at
		}
	}
	if len(name) < 3 { // id, p and the like name no kind of thing
		return "", ""
	}
	return name, at
}

// pathEntity takes the name from the word before the segment: /users/{int} has users.
func pathEntity(p anonymize.Finding) (entity, at string) {
	names := strings.FieldsFunc(p.Name, func(c rune) bool { return c == '/' })
	if p.Segment == 0 || p.Segment >= len(names) || names[p.Segment][0] != '{' || !strings.HasSuffix(names[p.Segment], "}") {
		return "", "" // {int}.png is a file
	}
	before := names[p.Segment-1]
	if strings.Contains(before, "{") {
		return "", ""
	}
	entity = strings.ToLower(before)
	for _, end := range []struct{ plural, singular string }{{"ies", "y"}, {"ss", "ss"}, {"s", ""}} {
		if base, ok := strings.CutSuffix(entity, end.plural); ok && len(base) > 1 {
			entity = base + end.singular
			break
		}
	}
	for i, n := range names {
		if strings.Contains(n, "{") {
			names[i] = "*"
		}
	}
	names[p.Segment] = "{" + entity + "}"
	if slices.Contains([]string{"", "{}"}, entity) || endpoint.Classify([]byte(entity)) != endpoint.Word {
		return "", ""
	}
	return entity, "path:/" + strings.Join(names[:p.Segment+1], "/")
}

// thousands groups the digits of a number that is not negative.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
