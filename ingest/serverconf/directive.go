package serverconf

import "strings"

// Directive reads the one log_format, LogFormat or CustomLog directive in text, which somebody copied out of
// a configuration; a semicolon at its end may be missing. ok is false when text begins with none of them.
func Directive(text string) (f Format, ok bool, err error) {
	at := Position{File: "the directive", Line: 1}
	text = strings.TrimSpace(text)
	var c Config
	switch word, _ := cutArgument(text); strings.ToLower(word) {
	case "log_format":
		w := words{text: []byte(strings.TrimSuffix(text, ";") + ";"), at: at}
		d, end, err := w.directive()
		n := nginx{config: &c}
		if err == nil && end == ';' {
			err = n.apply(d)
		}
		if w.space(); err == nil && (end != ';' || len(w.text) > 0) {
			err = &Error{At: w.at, Message: "more than one directive"}
		}
		if err != nil {
			return Format{}, true, err
		}
	case "logformat", "customlog":
		line := strings.NewReplacer("\\\n", "", "\\\r\n", "").Replace(text)
		if strings.Contains(line, "\n") {
			return Format{}, true, &Error{At: at, Message: "more than one directive"}
		}
		a := apache{config: &c}
		if err := a.apply(line, at); err != nil {
			return Format{}, true, err
		}
		c.Formats = append(c.Formats, a.inline...)
		if a.last.Text != "" {
			c.Formats = append(c.Formats, a.last)
		}
	default:
		return Format{}, false, nil
	}
	if len(c.Formats) == 0 {
		return Format{}, true, &Error{At: at, Message: "a name and no format string"}
	}
	return c.Formats[0], true, nil
}
