# Beaconswarm: everything that a person or a CI run does with the project.
SHELL := /bin/bash
.DEFAULT_GOAL := help
BIN := .build/release/beaconswarm
PYTHON := .build/venv/bin/python
# What --version tells: the commit that is built, and its day. Unknown outside a clone.
stamp := $(shell .ci/stamp)
export BEACONSWARM_BUILD_COMMIT := $(word 1,$(stamp))
export BEACONSWARM_BUILD_DATE := $(word 2,$(stamp))
SWIFT_FILES = $(shell git ls-files -co --exclude-standard '*.swift' | xargs -r ls 2>/dev/null)

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

## setup: installs what a fresh machine lacks (system libraries through apt)
setup:
	@.ci/setup

## build: builds the tool for release (.build/release/beaconswarm)
build: setup
	.ci/swift-build --product beaconswarm

## build-all: builds for release the program, the suites, and what else tests it
build-all: setup
	@.ci/build-all

## demo: thousands of simulated devices against the embedded collector, in under a minute
demo: build
	$(BIN) run scenarios/demo.json

## test: every test but the long ones, with the set-up that it needs
test: setup
	@.ci/test

## test-long: tests that compute for minutes: how often the intervals of a comparison err, over thousands of simulations
test-long: build
	@.ci/setup --tests
	@BEACONSWARM_LONG=1 $(PYTHON) -m pytest -q --color=no -p no:cacheprovider -m long Tests/Acceptance

## bench: speed against peers, measured in one run on an idle machine
bench: build
	@.ci/bench

## load-datasets: datasets into PostgreSQL and ClickHouse by their own README.md, and their questions asked there
load-datasets: build
	@.ci/load-datasets

## fuzz: readers of foreign bytes against libFuzzer (FUZZ_SECONDS=60 or FUZZ_RUNS=10000000 each, FUZZ_TARGET=parser for one)
fuzz: setup
	@.ci/fuzz

## cluster-test: a simulation as tasks of a real Slurm of four nodes on this machine, one of them killed, joined and compared
cluster-test: build
	@.ci/cluster-test

## explore: random scenarios, each judged by the same invariants (EXPLORE_MINUTES=10, EXPLORE_SEED=…)
explore: setup
	@.ci/explore

## planted: bugs that are built in for the purpose, and how soon `make explore` finds each
planted: setup
	@.ci/explore --planted

## sbom: the packages and libraries of the program with versions and licences, as CycloneDX (.build/sbom.cdx.json)
sbom: build
	@.ci/sbom

## dist: packages of the last commit, in .build/dist: tarball, .deb, wheel, and the context of a container image
dist: setup
	@.ci/dist

## dist-test: each of these packages installed in an empty root, and run there by chroot (needs root)
dist-test:
	@.ci/setup --tests
	@$(PYTHON) -m pytest -q -rs -p no:cacheprovider Tests/Packages

## example: the example as somebody else would build it, in a package of its own
example: setup
	@.ci/example

## tsan: the live engine and the collector under ThreadSanitizer
tsan: setup
	@.ci/tsan

## soak: half an hour (SOAK_MINUTES) of a live fleet under faults; memory and descriptors must stay flat
soak: build
	@.ci/soak

## lint: the format check that CI runs
lint:
	@swift format lint --strict --parallel --configuration .swift-format $(SWIFT_FILES)
	@.ci/check-modules

## format: rewrites the sources in the project's format
format:
	swift format --in-place --parallel --configuration .swift-format $(SWIFT_FILES)

## validate: checks every scenario that ships
validate: build validate-only

validate-only:
	$(BIN) validate $(filter-out scenarios/scenario.schema.json scenarios/deploy/%,$(wildcard scenarios/*.json scenarios/*/*.json))

## docs: builds the DocC documentation of the library into .build/docs
docs: setup
	@.ci/docs

## clean: removes what was built
clean:
	rm -rf .build

.PHONY: help setup build validate-only demo test test-long bench load-datasets cluster-test fuzz explore planted sbom dist dist-test example tsan soak lint format validate docs clean
