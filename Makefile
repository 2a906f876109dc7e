# The two commands of the README do all the set-up they need: only Go and make must be there.
export CGO_ENABLED := 0
GO      ?= go
BIN     := bin/reprise
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
TOOL     = $(GO) tool -modfile=.ci/tools/go.mod
FUZZTIME ?= 5s
# The go tool leaves folders named testdata out of patterns.
PACKAGES = ./... ./testdata ./testdata/shoplog

# The real logs are test data that the project does not ship; tests that need them skip without this.
ifneq ($(wildcard ../shared/logs),)
export REPRISE_LOGS ?= $(abspath ../shared/logs)
endif

.PHONY: build demo test check lint fuzz generated vulnerabilities bench clean

build:
	$(GO) build -trimpath -buildvcs=auto -o $(BIN) ./cmd/reprise

demo: build
	rm -rf demo-report
	$(BIN) demo -o demo-report

test: build
	sh .ci/services
	$(GO) test $(TESTFLAGS) $(PACKAGES)

check: lint generated fuzz vulnerabilities

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not gofmt-ed:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet $(PACKAGES)
	$(TOOL) golangci-lint run --allow-parallel-runners $(PACKAGES)
	$(GO) test -run 'Architecture|Budget' .

# Generated files must be what their generators make.
generated:
	$(GO) generate $(PACKAGES)
	git diff --exit-code -- testdata

# Every fuzz target for a few seconds each; a crasher is written to the package's testdata folder.
fuzz:
	sh .ci/fuzz $(FUZZTIME)

vulnerabilities:
	sh .ci/vulnerabilities $(TOOL)

bench:
	sh .ci/bench

clean:
	rm -rf bin demo-report
