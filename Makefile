# Every target is a script in scripts/, so that it can be read and run without make.

.PHONY: help run test test-agents bench soak chaos lint fmt fresh gen
.DEFAULT_GOAL := help

help: ## list what can be made
	@awk -F ': ## ' '/^[a-z-]+: ## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: ## set up what is missing, build, and serve; prints a login link
	@scripts/run.sh $(ARGS)

test: ## set up what the tests need, and run every test
	@scripts/test.sh

lint: ## formatting, clippy, the rules of this tree, types of the page
	@scripts/lint.sh

fmt: ## format Rust and the page
	@scripts/fmt.sh

fresh: ## check that what is generated and committed is up to date
	@scripts/fresh.sh

gen: ## write anew what is generated and committed
	@scripts/gen.sh

test-agents: ## drive the real agents, fetched from npm, against a scripted model
	@scripts/test-agents.sh $(ARGS)

bench: ## measure; results go to bench/results
	@scripts/bench.sh $(ARGS)

soak: ## run the suite 20 times under CPU load
	@scripts/soak.sh $(ARGS)

chaos: ## kill everything at random moments, 500 rounds, and look at every byte of work
	@scripts/chaos.sh $(ARGS)
