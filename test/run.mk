# run.mk: runs each of the suites and checks in NAMES as a separate process, started in this order as soon as a job is free.
# O is the folder with the program of the suites, and for their results.

ALL := $(addprefix one/,$(NAMES))
.PHONY: all $(ALL)
all: $(ALL)
$(ALL): one/%:
	@sh test/one.sh $(O) $*
