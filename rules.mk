# rules.mk: builds each object, library and program. build.sh calls it with
#
#   O          the output folder for one set of flags; objects are at $(O)/obj/PATH-OF-THE-SOURCE.o
#   CC AR OBJCOPY the tools
#   OPT        flags for our own code: optimization, sanitizers
#   DEP_OPT    the same for the dependencies, if different
#   LINK       flags for linking only
#   INCLUDES   folders of the dependencies, and the settings that they and our code must share
#   MBED       the folder of mbedTLS, built for the same machine
#   OUT        the folder for libraries and svcd
#   POSTGRES   the folder of libpq-fe.h: svcd and the tests also get the store on PostgreSQL; empty: without
#   REDIS      not empty: svcd and the tests also get the limiter on Redis
#   OPENSSL    not empty: programs with the listener use OpenSSL for TLS
#
# An object is rebuilt when one of these changes: its source, a header that it includes (-MMD), one of the variables above, the dependencies, or
# these rules. $(O)/failed names the file that failed.
#
# Two headers have stand-ins, because all objects include them and every noun changes them. svcapi.h lists the nouns in a comment: objects depend on
# $(O)/see/header, a copy without that list. Objects that do not iterate over the list of errors use only its numbers, which stay when codes are
# added or reworded (test/error_numbers.sh): all such objects depend on $(O)/see/codes. build.sh writes these files, and only when they change.

DEPS = build/deps
MBED = $(DEPS)/mbedtls
OUT = build
OPT = -O2
DEP_OPT = $(OPT)
LINK =
comma := ,
WARN = -Wall -Wextra -Wpedantic
MG = -DMG_MAX_HTTP_HEADERS=64 -DMG_SOCK_LISTEN_BACKLOG_SIZE=1024 -DMG_ENABLE_DIRLIST=0 \
  -DMG_ENABLE_SSI=0 -DMG_ENABLE_IPV6=1

# ---- sources ---------------------------------------------------------------------------------------------------------

# fold.sh lists the parts of the fold. Every other port belongs to the listener, which is compiled separately and uses svcapi.h only. The exceptions
# are other stores and limiters: the files for these use ports/store_port.h and ports/limiter_port.h, and are built only on request.
PARTS := $(shell sh amalgamation/fold.sh --parts | cut -d' ' -f1)
STORES := ports/memory.c ports/postgres.c ports/redis.c ports/store_copy.c
TRANSFER := $(wildcard ports/transfer/*.c)
LISTENER := $(filter-out $(PARTS) $(STORES) $(TRANSFER),$(sort $(shell find ports -name '*.c')))
TESTS := $(sort $(shell find test -name '*_test.c')) $(wildcard test/*.c)
SVCD := $(wildcard examples/svcd/*.c) $(wildcard examples/driver_postgres/*.c)
PROGRAM := $(wildcard examples/svcd/driver_*.c)
BENCH := $(wildcard test/bench/*.c)
CLUSTER := $(wildcard test/cluster/*.c)
SOAK := $(wildcard test/soak/*.c)
POWER := $(filter-out test/power/record.c,$(wildcard test/power/*.c))
BENCH_STORES := $(patsubst %,test/bench/%.c,postgres peer_postgres relay)
FUZZ := $(wildcard test/fuzz/*_fuzz.c) test/fuzz/fuzz.c
FUZZERS := $(patsubst test/fuzz/%.c,$(O)/%,$(wildcard test/fuzz/*_fuzz.c))

objects = $(patsubst %.c,$(O)/obj/%.o,$1)
deps = $(call objects,$(patsubst %,$(DEPS)/%.c,$1))
PART_OBJECTS := $(call objects,$(PARTS) $(O)/registry.c ports/memory.c)
WHOLE := svcapi.c ports/memory.c # the library, as programs link it
SERVER_OBJECTS := $(call objects,$(LISTENER)) $(call deps,mongoose)
DEP_OBJECTS := $(call deps,frozen mdb midl tinycthread)
STORE_OBJECTS := $(call objects,$(if $(POSTGRES),ports/postgres.c ports/store_copy.c) $(if $(REDIS),ports/redis.c))
STORE_LIBS := $(if $(POSTGRES),-lpq) $(if $(REDIS),-lhiredis)
STORE_FLAGS = $(if $(POSTGRES),-DSVC_WITH_POSTGRES -isystem $(POSTGRES)) $(if $(REDIS),-DSVC_WITH_REDIS)
TLS_LIBS := $(if $(OPENSSL),-lssl -lcrypto)
TLS_FLAGS = $(if $(OPENSSL),-DSVC_WITH_OPENSSL)
MBED_LIBS := $(patsubst %,$(MBED)/library/libmbed%.a,tls x509 crypto)

# ---- targets ---------------------------------------------------------------------------------------------------------

.DELETE_ON_ERROR:
.PHONY: lib shared whole svcd parts run bench fuzz cluster power soak threads
lib: $(OUT)/libsvcapi.a
shared: $(OUT)/libsvcapi.so.1
whole: $(O)/whole/libsvcapi.a
svcd: $(OUT)/svcd
parts: $(PART_OBJECTS)
run: $(O)/run
bench: $(O)/bench
fuzz: $(FUZZERS)
cluster: $(O)/cluster
power: $(O)/power $(O)/record.so
soak: $(O)/soak
threads: $(O)/threads

# ---- objects ---------------------------------------------------------------------------------------------------------

# $(call noted,FILE,TEXT) expands to FILE, which contains TEXT. The file is written only when TEXT changes, so that its dependents are rebuilt then.
differ = $(subst x$1,,x$2)$(subst x$2,,x$1)
noted = $(if $(call differ,$2,$(file <$1)),$(file >$1,$2))$1
COMMON := rules.mk $(patsubst %,$(DEPS)/.stamp-%,lmdb frozen tinycthread) $(MBED)/.stamp \
  $(call noted,$(O)/flags,$(strip $(CC) / $(AR) / $(OPT) / $(DEP_OPT) / $(LINK) / $(INCLUDES) / $(MBED)))

OURS = $(OPT) -std=c11 $(WARN) -I.
PART = $(OURS) $(INCLUDES) -DSVC_SPLIT=1 -DSVC_SHARED_STORE -DSVC_MEMORY_STORE -I$(O)/see -Iamalgamation -Itest -I$(O)
$(O)/obj/svcapi.o:           FLAGS = $(OURS) $(INCLUDES) -DSVC_LINES -DSVC_MEMORY_STORE $(if $(POSTGRES)$(REDIS),-DSVC_SHARED_STORE)
$(O)/obj/amalgamation/%.o:   FLAGS = $(PART)
$(O)/obj/ports/%.o:          FLAGS = $(PART)
$(O)/obj/$(O)/%.o:           FLAGS = $(PART)
$(O)/obj/test/%.o:           FLAGS = $(PART) -Wno-pedantic
$(O)/obj/test/bench/%.o:     FLAGS = $(OURS) $(INCLUDES) -Iports $(MG) $(TLS_FLAGS)
$(O)/obj/test/fuzz/%.o:      FLAGS = $(PART) -Wno-pedantic -Iports -Iexamples $(MG)
$(O)/obj/examples/%.o:       FLAGS = $(OURS) $(INCLUDES) -Iports -Iexamples
$(O)/obj/test/listener/%.o:  FLAGS = $(PART) -Wno-pedantic $(TLS_FLAGS)
$(O)/obj/ports/postgres.o:   FLAGS = $(PART) $(STORE_FLAGS)
$(O)/obj/test/postgres.o:    FLAGS = $(PART) $(STORE_FLAGS)
$(O)/obj/test/redis.o:       FLAGS = $(PART) $(STORE_FLAGS)
$(call objects,$(BENCH_STORES)): FLAGS = $(OURS) $(INCLUDES) -Iports $(MG) $(STORE_FLAGS)
$(patsubst %,$(O)/obj/examples/svcd/%.o,store limiter copy schema): FLAGS = $(OURS) $(INCLUDES) -Iports -Iexamples $(STORE_FLAGS)
$(call objects,$(LISTENER)): FLAGS = $(OURS) $(INCLUDES) $(MG) $(TLS_FLAGS)
$(O)/obj/$(DEPS)/%.o:        FLAGS = $(DEP_OPT) -std=gnu11 -w
$(call deps,mongoose):       FLAGS = $(DEP_OPT) -std=gnu11 -w $(INCLUDES) $(MG)

# The compiler's messages are stored next to the object: test/check/warnings.sh fails if there are any.
$(O)/obj/%.o: %.c $(COMMON)
	@mkdir -p $(@D); made=0; $(CC) $(FLAGS) -MMD -MP -c -o $@ $< 2>$(@:.o=.said) || made=1; \
	cat $(@:.o=.said) >&2; [ $$made = 0 ] || { echo $< >>$(O)/failed; exit 1; }; \
	if grep -qE 'SVC_((CATALOG|NOUN)_)?ERROR_LIST' $<; then lists=; else lists='s, [^ ]*error_list\.h\( \|$$\), $(O)/see/codes\1,;'; fi; \
	sed -i "$$lists s, svcapi\.h\( \|$$\), $(O)/see/header\1," $(@:.o=.d)

# Only these files depend on which stores and limiters are built in.
STORES_NOTED := $(call noted,$(O)/stores.list,$(or $(strip $(STORE_FLAGS)),none))
$(call objects,svcapi.c $(STORES) test/postgres.c test/redis.c $(patsubst %,examples/svcd/%.c,store limiter copy schema) $(BENCH_STORES)): $(STORES_NOTED)
TLS_NOTED := $(call noted,$(O)/tls.list,$(or $(TLS_LIBS),none))
$(call objects,$(filter ports/listener/%,$(LISTENER)) test/bench/wire.c test/bench/load_tls.c test/listener/tls_test.c): $(TLS_NOTED)

# Only these files include mongoose and munit.
$(call objects,$(LISTENER) $(BENCH)) $(call deps,mongoose): $(DEPS)/.stamp-mongoose
$(call objects,$(TESTS)) $(call deps,munit): $(DEPS)/.stamp-munit

-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)

# ---- library and programs --------------------------------------------------------------------------------------------

$(OUT)/libsvcapi.a: $(call objects,$(WHOLE)) $(DEP_OBJECTS)
	@rm -f $@; $(AR) rcs $@ $^ || { echo $@ >>$(O)/failed; exit 1; }

# The static library for programs: a single object in which everything except the functions of svcapi.h is local. The library needs nothing else, and does not
# conflict with another copy of LMDB or mbedTLS in the program.
$(O)/whole/libsvcapi.a: $(call objects,$(WHOLE)) $(DEP_OBJECTS) $(MBED_LIBS)
	@mkdir -p $(@D); rm -f $@; $(CC) -nostdlib -r -o $(@D)/svcapi.o $(filter %.o,$^) $(filter-out %libmbedtls.a,$(MBED_LIBS)) && \
	$(OBJCOPY) --wildcard --keep-global-symbol='svc_*' $(@D)/svcapi.o && $(AR) rcs $@ $(@D)/svcapi.o || { echo $@ >>$(O)/failed; exit 1; }

# The shared library uses the same objects as the static one: everything that is not SVC_API is hidden in them, and so are the linked libraries. Its
# number is that of the series of compatible versions (VERSIONS in svcapi.h): the number rises when programs must be recompiled.
$(OUT)/libsvcapi.so.1: $(call objects,$(WHOLE)) $(DEP_OBJECTS) $(MBED_LIBS)
	@$(CC) $(OPT) $(LINK) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL -Wl,-z,defs -o $@ $(filter %.o,$^) $(MBED_LIBS) -pthread && \
	ln -sf $(@F) $(@D)/libsvcapi.so || { echo $@ >>$(O)/failed; exit 1; }

# A deleted source makes no object newer, so programs also depend on the list of their sources.
$(OUT)/svcd: $(call objects,$(SVCD) $(TRANSFER) $(WHOLE)) $(STORE_OBJECTS) $(SERVER_OBJECTS) $(DEP_OBJECTS) $(STORES_NOTED) $(call noted,$(O)/svcd.list,$(SVCD) $(TRANSFER) $(LISTENER))
$(O)/run:   $(PART_OBJECTS) $(sort $(STORE_OBJECTS) $(call objects,ports/store_copy.c $(TRANSFER))) $(STORES_NOTED) $(SERVER_OBJECTS) $(call objects,$(TESTS) $(PROGRAM) $(FUZZ)) $(DEP_OBJECTS) $(call deps,munit) \
            $(call noted,$(O)/run.list,$(PARTS) $(TRANSFER) $(LISTENER) $(TESTS) $(PROGRAM) $(FUZZ))
$(O)/bench: $(call objects,$(BENCH) $(TRANSFER) $(WHOLE)) $(STORE_OBJECTS) $(STORES_NOTED) $(SERVER_OBJECTS) $(DEP_OBJECTS) $(call noted,$(O)/bench.list,$(BENCH))
$(O)/cluster: $(call objects,$(CLUSTER)) $(call noted,$(O)/cluster.list,$(CLUSTER))
$(O)/soak: $(call objects,$(SOAK)) $(call noted,$(O)/soak.list,$(SOAK))
$(O)/power: $(call objects,$(POWER) $(WHOLE)) $(DEP_OBJECTS) $(call noted,$(O)/power.list,$(POWER))
$(O)/threads: $(call objects,test/threads/threads.c $(WHOLE)) $(SERVER_OBJECTS) $(DEP_OBJECTS)
# The entry point of each fuzzer is svc_fuzz_X, so that all of them can also be linked into one program: test/fuzz/corpus_test.c runs their corpora.
$(FUZZERS): $(O)/%: $(O)/obj/test/fuzz/%.o $(O)/obj/test/fuzz/fuzz.o $(PART_OBJECTS) $(call objects,$(TRANSFER)) $(SERVER_OBJECTS) $(DEP_OBJECTS)
$(FUZZERS): override LINK += -fsanitize=fuzzer -Wl,--defsym=LLVMFuzzerTestOneInput=svc_fuzz_$(patsubst %_fuzz,%,$(@F))
# Wrapped functions: test/support.c fails single allocations of arenas; test/coverage.c records every request; test/fail.c fails whole
# functions; test/catalog/unused_test.c records which query parameters are read.
$(O)/run: override LINK += $(patsubst %,-Wl$(comma)--wrap=svc_%,arena_alloc arena_zero arena_copy arena_print handle_request query_get query_has ask)
FAILING = apply_due apply_due_some access_use_note access_uses_flush takes_part orders_hand_out order_done order_secrets bootstrap new_credentials \
  openapi driver_schema journal_read metrics_text stats_as backup snapshot_take snapshot_restore clock_set clock_advance call_text bootstrap_json check_store \
  control_request open_as commit_run known_keep due_first kept_new kept_put kept_leave health_size work_begin work_end
$(O)/run: override LINK += $(patsubst %,-Wl$(comma)--wrap=svc_%,$(FAILING))
# test/postgres.c counts round trips, and fails calls to libpq; test/redis.c fails calls to hiredis.
$(O)/run: override LINK += $(if $(POSTGRES),$(patsubst %,-Wl$(comma)--wrap=PQ%,sendFlushRequest pipelineSync connectdbParams sendQuery flush setnonblocking getResult \
  enterPipelineMode consumeInput socket sendPrepare sendQueryPrepared sendQueryParams))
$(O)/run: override LINK += $(if $(REDIS),$(patsubst %,-Wl$(comma)--wrap=redis%,ConnectWithTimeout ConnectUnixWithTimeout FormatCommandArgv ReaderFeed ReaderGetReply))
# test/faults.c fails system calls.
WRAPPED = open read pread write pwrite writev pwritev lseek fsync fdatasync mmap ftruncate fstat stat flock fcntl posix_fallocate link rename \
  unlink mkdir rmdir mkdtemp malloc calloc realloc strdup posix_memalign memalign \
  fopen fopen64 socket bind listen getsockname setsockopt accept epoll_create1 epoll_ctl epoll_wait eventfd pipe2 posix_spawn posix_spawnp waitid send sendto sendmsg recv recvfrom poll clock_gettime \
  pthread_create pthread_mutex_init pthread_cond_init pthread_condattr_init \
  $(patsubst %,mdb_%,env_create env_open env_set_mapsize env_set_maxreaders env_info env_stat env_get_fd env_copyfd2 txn_begin txn_renew txn_commit \
  dbi_open cursor_open cursor_get cursor_put get put) \
  $(patsubst %,mbedtls_%,ctr_drbg_seed sha256 md5 md_hmac gcm_setkey gcm_crypt_and_tag gcm_auth_decrypt pkcs5_pbkdf2_hmac_ext) \
  open64 pread64 pwrite64 pwritev64 lseek64 mmap64 ftruncate64 fstat64 stat64 fcntl64 posix_fallocate64
$(O)/run: override LINK += $(patsubst %,-Wl$(comma)--wrap=%,$(WRAPPED))
# All symbols are bound at the start. Binding at the first call would leave the contents of registers, possibly secrets, on the stack. Bound
# addresses become read-only.
$(OUT)/svcd $(O)/run: override LINK += -Wl,-z,relro -Wl,-z,now
$(OUT)/svcd $(O)/run $(O)/bench $(O)/cluster $(O)/power $(O)/soak $(O)/threads $(FUZZERS): $(MBED_LIBS)
	@$(CC) $(OPT) $(LINK) -o $@ $(filter %.o,$^) $(MBED_LIBS) $(if $(filter svcd run bench,$(@F)),$(STORE_LIBS)) $(TLS_LIBS) -pthread || { echo $@ >>$(O)/failed; exit 1; }

# A library that is preloaded into other programs.
$(O)/record.so: test/power/record.c test/power/power.h rules.mk
	@mkdir -p $(@D); $(CC) -O2 -std=c11 $(WARN) -fPIC -shared -o $@ $< -ldl || { echo $< >>$(O)/failed; exit 1; }
