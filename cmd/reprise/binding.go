package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"reprise/replay/bind"
	"reprise/replay/httptarget"
)

const catalogueFix = "curl http://TARGET/catalogue > catalogue.json; reprise schedule ... --catalogue catalogue.json"

// rules reads bind.yaml. Without --bind they are nil.
func (o *scheduleOptions) rules() (*bind.Rules, error) {
	if o.bind == "" {
		return nil, nil
	}
	text, err := readWhole(o.bind)
	if err != nil {
		return nil, usage("BIND", err.Error(), "--bind bind.yaml")
	}
	rules, err := bind.Parse(bytes.NewReader(text), o.bind)
	if err != nil {
		return nil, usage("BIND", err.Error(), "correct "+o.bind)
	}
	return rules, nil
}

// binder reads bind.yaml and the catalogue. Without --bind it is nil. The digest names the data set.
func (o *scheduleOptions) binder(ctx context.Context) (b *bind.Binder, digest string, err error) {
	rules, err := o.rules()
	if rules == nil || err != nil {
		return nil, "", err
	}
	where := rules.Catalogue
	if !strings.Contains(where, "://") && !filepath.IsAbs(where) {
		where = filepath.Join(filepath.Dir(o.bind), where)
	}
	if o.catalogue != "" {
		where = o.catalogue
	}
	data, err := readCatalogue(ctx, where)
	if err != nil {
		return nil, "", err
	}
	c, err := bind.ReadCatalogue(bytes.NewReader(data))
	if err != nil {
		return nil, "", &failure{code: "CATALOGUE", exit: exitInput, what: fmt.Sprintf("%s: %v", where, err), fix: catalogueFix}
	}
	if b, err = bind.New(rules, c, o.seed); err != nil {
		return nil, "", usage("BIND", fmt.Sprintf("%s: %v", o.bind, err), "correct "+o.bind)
	}
	sum := sha256.Sum256(data)
	return b, "sha256:" + hex.EncodeToString(sum[:]), nil
}

// readCatalogue reads a file, or asks a server on loopback: the catalogue of another host is fetched by its
// owner into a file, not by us.
func readCatalogue(ctx context.Context, where string) ([]byte, error) {
	if !strings.Contains(where, "://") {
		data, err := readWhole(where)
		if err != nil {
			return nil, usage("CATALOGUE", err.Error(), catalogueFix)
		}
		return data, nil
	}
	fail := func(err error) error {
		return &failure{code: "CATALOGUE", exit: exitEnvironment, what: fmt.Sprintf("catalogue %s: %v", where, err), fix: "start the environment, or use --catalogue FILE"}
	}
	u, err := url.Parse(where)
	if err != nil {
		return nil, fail(err)
	}
	if _, err := (httptarget.Guard{}).Check(ctx, u.Hostname()); err != nil {
		return nil, fail(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, fail(err)
	}
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fail(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fail(fmt.Errorf("answered %s", resp.Status))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = fmt.Errorf("is over %d bytes", maxWhole)
	}
	if err != nil {
		return nil, fail(err)
	}
	return data, nil
}
