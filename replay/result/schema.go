package result

import _ "embed"

// Schema is the JSON Schema of summary.json.
//
//go:embed summary.schema.json
var Schema []byte
