# run.mk: each of the suites and checks in NAMES as a process of its own, started in this order as soon as a job is free.
# O is the folder of the program that has the suites, and of what comes of them.

ALL := $(addprefix one/,$(NAMES))
.PHONY: all $(ALL)
all: $(ALL)
$(ALL): one/%:
	@sh test/one.sh $(O) $*
