/*
** The verb copy: copies a store into an empty place, between a folder and PostgreSQL or between two of a kind. With --verify-only it only
** compares two stores. The verbs backup and restore use this file for databases.
**
** The rule: a copy succeeds only after both stores were read again and were equal. svcd prints the totals of both.
*/
#include "svcd.h"

#include <stdio.h>
#include <string.h>

#ifdef SVC_WITH_POSTGRES
#include "store_copy.h"

static void copy_say(const char *what, const char *place, const svc_copy_side *side)
{
  if (!side->sha256[0]) return;
  printf("%-14s %s\n%-14s %llu records, %llu counts, %llu bytes, SHA-256 %s\n", what, place, "", (unsigned long long)side->records,
         (unsigned long long)side->counts, (unsigned long long)side->bytes, side->sha256);
}

int svcd_copy_places(const char *from, const char *to, int compare)
{
  svc_config a, b;
  svc_copy_report report;
  int rc;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  if (svcd_store_at(from, &a) != 0 || svcd_store_at(to, &b) != 0) return 2;
  if (!svcd_is_uri(from) && !svcd_has_store(from)) return svcd_error(1, "there is no store in %s", from);
  if (!svcd_is_uri(to) && svcd_has_store(to) != compare)
    return svcd_error(1, compare ? "there is no store in %s" : "%s already holds a store, which is left unchanged", to);
  rc = compare ? svc_compare_stores(&a, &b, &report) : svc_copy_store(&a, &b, &report);
  copy_say("from:", from, &report.from);
  copy_say("to:", to, &report.to);
  fflush(stdout);
  if (rc == SVC_OK) return 0;
  if (rc == SVC_EXISTS) return svcd_error(1, "%s is not empty, and is left unchanged", to);
  return svcd_error(1, "%s: %s", compare ? "not the same" : "no copy was made", report.why);
}

#else

int svcd_copy_places(const char *from, const char *to, int compare)
{
  svc_config config;
  (void)compare;
  if (svcd_is_uri(from) || svcd_is_uri(to)) return svcd_store_at(svcd_is_uri(from) ? from : to, &config); /* prints that PostgreSQL is missing */
  return svcd_error(2, "this svcd was built without PostgreSQL; to copy from folder to folder, use svcd backup");
}

#endif

static int copy_work(const svcd_options *o)
{
  int status = svcd_copy_places(o->from, o->to, o->verify_only);
  if (status == 0 && !o->verify_only) status = svcd_check_place(o, o->to);
  if (status != 0) return status;
  if (o->verify_only) return printf("both hold the same\n") < 0;
  return printf("copied, read again and checked; the secret key is no part of it: --data or --secret-key as before\n") < 0;
}

int svcd_copy(const svcd_options *o)
{
  return svcd_in_child(o, copy_work, o->from);
}
