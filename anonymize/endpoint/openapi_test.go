package endpoint_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/endpoint"
)

const openAPI3 = `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers:
- url: https://{host}.example/{base}/
  variables:
    host: {default: api}
    base: {default: v2, enum: [v1, v2]}
- url: /other
paths:
  /users/{shopperRef}:
    parameters:
    - {name: shopperRef, in: path, required: true, schema: {type: string}}
    - {name: expand, in: query, schema: {type: array, items: {enum: [orders, address]}}}
    get:
      parameters:
      - $ref: '#/components/parameters/Sort'
      - {name: X-Trace, in: header}
  /users/{id}/orders/{token}:
    get: {}
  /users/{name}:
    delete: {}
  /users/me: {}
  /reports/{year}.csv: {}
  /a%2Fb/é: {}
  /files/:
    $ref: '#/components/pathItems/Files'
  x-note: {}
components:
  parameters:
    Sort: {name: Sort, in: query, schema: {$ref: '#/components/schemas/a~1b'}}
  schemas:
    a/b: {type: string, enum: [price, name, 1, true, null]}
  pathItems:
    Files:
      get:
        parameters:
        - name: filter[kind]
          in: query
`

func TestOpenAPI(t *testing.T) {
	set, merged, err := endpoint.Read(strings.NewReader(openAPI3))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"/v2/files/", "/v2/reports/{any}", "/v2/users/me", "/v2/users/{id}/orders/{any}", "/v2/users/{name}", "/v2/{any}/{any}"}
	if got := patterns(set); !slices.Equal(got, want) || merged != 1 {
		t.Errorf("%d merged; templates %q, want %q", merged, got, want)
	}
	match(t, set, "/v2/users/kim", "/v2/users/{name}")
	match(t, set, "/v2/users/me", "/v2/users/me")
	match(t, set, "/users/kim", "{unmatched}")
	values := map[string][]string{"expand": {"address", "orders"}, "sort": {"1", "name", "price", "true"}}
	if got := set.Values(); !maps.EqualFunc(got, values, slices.Equal) {
		t.Errorf("values %v, want %v", got, values)
	}
	for key, want := range map[string]bool{"expand": true, "Sort": true, "filter[kind]": true, "X-Trace": false, "shopperRef": false} {
		if set.KeepsKey([]byte(key)) != want {
			t.Errorf("key %s is kept: %v", key, !want)
		}
	}
	var b bytes.Buffer
	if err := set.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	again, merged, err := endpoint.Read(&b)
	if err != nil || merged != 0 || again.Digest() != set.Digest() {
		t.Errorf("a templates file of it gives %v, %d merged", err, merged)
	}
}

// A description in JSON, with tabs and pairs of surrogates, says what one in YAML says.
func TestSwaggerInJSON(t *testing.T) {
	doc := map[string]any{
		"swagger": "2.0", "basePath": "/api/", "info": map[string]any{"title": "\U0001F6D2 {[ \"'"},
		"parameters": map[string]any{"S": map[string]any{"name": "status", "in": "query", "type": "array", "items": map[string]any{"enum": []any{"sold", "open"}}}},
		"paths": map[string]any{
			"/pets/{petId}": map[string]any{"get": map[string]any{"parameters": []any{map[string]any{"$ref": "#/parameters/S"}}}},
			"/":             map[string]any{"get": map[string]any{"parameters": []any{map[string]any{"name": "order", "in": "query", "enum": []any{"asc"}}, map[string]any{"in": "body", "name": "b"}}}},
		},
	}
	text, err := json.MarshalIndent(doc, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range [][]byte{text, compact, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))} {
		set, _, err := endpoint.Read(bytes.NewReader(in))
		if err != nil {
			t.Fatalf("%v: %.40q", err, in)
		}
		if got := patterns(set); !slices.Equal(got, []string{"/api/", "/api/pets/{petId}"}) {
			t.Errorf("templates %q", got)
		}
		if got := set.Values(); !maps.EqualFunc(got, map[string][]string{"status": {"open", "sold"}, "order": {"asc"}}, slices.Equal) {
			t.Errorf("values %v", got)
		}
	}
}

func TestOpenAPIIsStrict(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		_, _, err := endpoint.Read(strings.NewReader(body))
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "annika") {
			t.Errorf("%.60q: error is %v, want %q", body, err, want)
		}
	}
	f("swagger: 1.2\n", "1:10: only OpenAPI 3 and Swagger 2.0")
	f("openapi: 4.0.0\n", "1:10: only")
	f("openapi: 3.0.0\npaths: [annika]\n", "2:8: paths needs keys")
	f("openapi: 3.0.0\npaths:\n  annika: {}\n", "3:3: a path begins with /")
	f("openapi: 3.0.0\npaths:\n  /a: {get: {parameters: annika}}\n", "3:26: parameters needs a list")
	f("openapi: 3.0.0\npaths:\n  /a: {$ref: 'annika.yaml#/a'}\n", "3:14: the reference leaves the file")
	f("openapi: 3.0.0\npaths:\n  /a: {$ref: 'https://annika.example/a'}\n", "3:14: the reference leaves the file")
	f("openapi: 3.0.0\npaths:\n  /a: {$ref: '#/annika'}\n", "3:14: the reference leads nowhere")
	f("openapi: 3.0.0\nx: {$ref: '#/x'}\npaths:\n  /a: {$ref: '#/x'}\n", "2:4: more than 8 references")
	f("openapi: 3.0.0\npaths:\n  /a: &annika {}\n  /b: *annika\n", "3:7: anchors")
	f("openapi: 3.0.0\npaths:\n  /a: {}\n  /a: {}\n", "4:3: ")
	f("openapi: 3.0.0\nx: "+strings.Repeat("[", 300), "2:1: values nest deeper")
	f("openapi: 3.0.0\npaths:\n  /"+strings.Repeat("a", 5000)+": {}\n", "3:3: a path begins with /")
	f("openapi: 3.0.0\nservers: [{url: '{a}{a}', variables: {a: {default: "+strings.Repeat("a", 3000)+"}}}]\n", "2:")
}

// FuzzRead gives byte soup as a description and as templates: no panic, and what is read can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte(openAPI3))
	f.Add([]byte(`{"swagger":"2.0","basePath":"/a","paths":{"/b/{c}":{"get":{"parameters":[{"name":"x","in":"query","enum":["y"]}]}}}}`))
	f.Add([]byte("version: 1\nendpoints:\n- pattern: /a/{int}\n  count: 3\n  clients: 2\n  why: vocabulary\nquery_keys: [k]\nquery_values: {k: [v, \"1\"]}\n"))
	f.Add([]byte("version: 1\nendpoints: ! a\n"))
	f.Add([]byte("openapi: 3.0.0\npaths:\n  ? /a\n  : &x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, _, err := endpoint.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := set.WriteYAML(&b); err != nil {
			t.Fatal(err)
		}
		again, _, err := endpoint.Read(&b)
		if err != nil || again.Digest() != set.Digest() {
			t.Fatalf("%v: read back other templates", err)
		}
	})
}
