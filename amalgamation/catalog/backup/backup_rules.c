/*
** The rules for backup policies.
**
** Each rule concerns several fields, so no table row can express it; its error names the invalid field. Snapshots of a
** lower frequency must be kept at least as long as those of a higher one. A month has no fixed length: comparisons use the
** length that favors the caller. A project's compliance policy is the minimum for each schedule of the project.
*/
#include "catalog/catalog.h"
#include "catalog/backup/backup_parts.h"

#define BACKUP_RULES_LONGEST 3660 /* maximum retention in days */

static svc_str backup_rules_at(svc_call *c, const svc_backup_plan *plan, size_t i, const char *field)
{
  if (plan->named) return svc_str_c(plan->named(&plan->items[i], field));
  return svc_arena_print(c->arena, "%s[%u].%s", plan->field, (unsigned)i, field);
}

/* ------------------------------------------------------------------------------------------------------------- one item */

static bool backup_rules_interval_good(const svc_backup_item *item)
{
  switch (item->frequency) {
  case SVC_BACKUP_HOURLY: return item->interval <= 12 && 24 % item->interval == 0 && item->interval != 3;
  case SVC_BACKUP_DAILY: return item->interval == 1;
  case SVC_BACKUP_WEEKLY: return item->interval <= 7;
  case SVC_BACKUP_MONTHLY: return item->interval <= 28 || item->interval == 40;
  case SVC_BACKUP_YEARLY: return item->interval <= 12;
  default: return true;
  }
}

static void backup_rules_item(svc_call *c, const svc_backup_plan *plan, size_t i)
{
  static const char *const intervals[] = { "1, 2, 4, 6, 8 or 12 for hourly items", "1 for daily items",
                                           "a day of the week, 1 to 7, for weekly items",
                                           "a day of the month, 1 to 28, or 40 for its last, for monthly items",
                                           "a month, 1 to 12, for yearly items" };
  const svc_backup_item *item = &plan->items[i];
  if (!backup_rules_interval_good(item))
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, backup_rules_at(c, plan, i, "frequencyInterval"), "must be %s",
                intervals[item->frequency]);
  if (svc_backup_days(item->keep, false) > BACKUP_RULES_LONGEST)
    svc_violate(c, SVC_E_BACKUP_SNAPSHOT_RETENTION_VALUE_INVALID, backup_rules_at(c, plan, i, "retentionValue"),
                "must be at most ten years");
}

/* ------------------------------------------------------------------------------------------------------ items together */

/* Whether one of two items is a duplicate. A policy has at most one hourly, one daily and one on-demand item; other items must
** differ in their interval. */
static bool backup_rules_same(const svc_backup_item *a, const svc_backup_item *b)
{
  bool alone = a->frequency <= SVC_BACKUP_DAILY || a->frequency == SVC_BACKUP_ON_DEMAND;
  return a->frequency == b->frequency && (alone || a->interval == b->interval);
}

static void backup_rules_pair(svc_call *c, const svc_backup_plan *plan, size_t i, size_t other)
{
  const svc_backup_item *a = &plan->items[i], *b = &plan->items[other];
  if (other < i && backup_rules_same(a, b))
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, backup_rules_at(c, plan, i, "frequencyType"), "appears twice in the policy");
  if (a->frequency == SVC_BACKUP_ON_DEMAND || b->frequency == SVC_BACKUP_ON_DEMAND || a->frequency <= b->frequency) return;
  if (svc_backup_days(a->keep, true) < svc_backup_days(b->keep, false))
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, backup_rules_at(c, plan, i, "retentionValue"),
                "must keep %s snapshots at least as long as %s ones are kept", svc_values_snapshot_frequencies[a->frequency],
                svc_values_snapshot_frequencies[b->frequency]);
}

/* Number of snapshots that an item keeps. */
static int64_t backup_rules_kept(const svc_backup_item *item)
{
  int64_t days = svc_backup_days(item->keep, true);
  switch (item->frequency) {
  case SVC_BACKUP_HOURLY: return days * 24 / item->interval;
  case SVC_BACKUP_DAILY: return days;
  case SVC_BACKUP_WEEKLY: return days / 7 + 1;
  case SVC_BACKUP_MONTHLY: return days / 28 + 1;
  case SVC_BACKUP_YEARLY: return days / 365 + 1;
  default: return 0;
  }
}

static void backup_rules_items(svc_call *c, const svc_backup_plan *plan)
{
  int64_t kept = 0;
  size_t i, other;
  for (i = 0; i < plan->count; i++) {
    backup_rules_item(c, plan, i);
    for (other = 0; other < plan->count; other++) backup_rules_pair(c, plan, i, other);
  }
  if (c->error.violation_count) return;
  for (i = 0; i < plan->count; i++) kept += backup_rules_kept(&plan->items[i]);
  if (kept > SVC_BACKUP_KEPT)
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, svc_str_c(plan->field),
                "would keep %lld snapshots: at most %d are allowed", (long long)kept, SVC_BACKUP_KEPT);
}

/* A restore to a point in time starts from the snapshot before it, so that snapshot must still be kept. */
static void backup_rules_window(svc_call *c, const svc_node *schedule, const svc_backup_plan *plan)
{
  int64_t window = svc_node_i64(schedule, "restoreWindowDays", 0), longest = -1;
  size_t i;
  for (i = 0; i < plan->count; i++)
    if (plan->items[i].frequency <= SVC_BACKUP_DAILY && svc_backup_days(plan->items[i].keep, true) > longest)
      longest = svc_backup_days(plan->items[i].keep, true);
  if (longest >= 0 && window > longest)
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, svc_str_c(plan->named ? plan->named(NULL, "restoreWindowDays") : "restoreWindowDays"),
                "must be at most %lld %s: the retention of hourly or daily snapshots", (long long)longest * (plan->named ? 24 : 1),
                plan->named ? "hours" : "days");
}

static void backup_rules_export(svc_call *c, const svc_node *schedule)
{
  const svc_node *export = svc_node_get(schedule, "export");
  if (!svc_node_bool(schedule, "autoExportEnabled", false)) return;
  if (!svc_node_get(export, "exportBucketId"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("export.exportBucketId"), "is required if autoExportEnabled is true");
  if (!svc_node_get(export, "frequencyType"))
    svc_violate(c, SVC_E_MISSING_ATTRIBUTE, SVC_S("export.frequencyType"), "is required if autoExportEnabled is true");
}

/* ---------------------------------------------------------------------------------------------------------------- copies */

/* Whether the cluster's zone with this id includes this region of this provider. *zone: whether the zone exists; *clouds: whether
** the provider is used in it. */
static bool backup_rules_own_region(const svc_node *cluster, svc_str zone_id, svc_str cloud, svc_str region, bool *zone,
                                    bool *clouds)
{
  const svc_node *spec = svc_node_get(cluster, "replicationSpecs"), *config;
  bool own = false;
  *zone = *clouds = false;
  for (spec = svc_node_first(spec); spec; spec = spec->next) {
    if (!svc_node_eq(spec, "zoneId", zone_id)) continue;
    *zone = true;
    for (config = svc_node_first(svc_node_get(spec, "regionConfigs")); config; config = config->next) {
      if (!svc_node_eq(config, "providerName", cloud)) continue;
      *clouds = true;
      own |= svc_node_eq(config, "regionName", region);
    }
  }
  return own;
}

static const char *const *backup_rules_regions(svc_str cloud)
{
  return svc_str_is(cloud, "AWS") ? svc_values_aws_regions : svc_str_is(cloud, "AZURE") ? svc_values_azure_regions
                                                                                           : svc_values_gcp_regions;
}

static void backup_rules_copy(svc_call *c, const svc_node *schedule, const svc_node *cluster, const svc_node *copy, size_t i)
{
  svc_str cloud = svc_node_str(copy, "cloudProvider"), region = svc_node_str(copy, "regionName");
  svc_str at = svc_arena_print(c->arena, "copySettings[%u].", (unsigned)i);
  const svc_node *other = svc_node_first(svc_node_get(schedule, "copySettings"));
  bool zone, clouds, own = backup_rules_own_region(cluster, svc_node_str(copy, "zoneId"), cloud, region, &zone, &clouds);
  bool items = svc_node_get(copy, "copyPolicyItems") != NULL, often = svc_node_get(copy, "frequencies") != NULL;
  bool last = svc_node_get(copy, "lastNumberOfSnapshots") != NULL;
#define BACKUP_RULES_COPY(field, ...) \
  svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, svc_arena_print(c->arena, SVC_FMT field, SVC_ARG(at)), __VA_ARGS__)
  for (; other != copy; other = other->next)
    if (svc_node_eq(other, "regionName", region) &&
        svc_node_eq(other, "zoneId", svc_node_str(copy, "zoneId")))
      BACKUP_RULES_COPY("regionName", "appears twice in copySettings for its zone");
  if (!zone) BACKUP_RULES_COPY("zoneId", "must be the zoneId of one of the cluster's replicationSpecs");
  else if (!clouds) BACKUP_RULES_COPY("cloudProvider", "must be the cluster's provider in this zone");
  else if (!svc_value_in(c->s, region, backup_rules_regions(cloud)))
    BACKUP_RULES_COPY("regionName", "must be a region of the provider");
  else if (own) BACKUP_RULES_COPY("regionName", "must be another region than those of the cluster in this zone");
  if (items + often + last > 1)
    BACKUP_RULES_COPY("frequencies", "copyPolicyItems, frequencies and lastNumberOfSnapshots cannot be used together");
  if (svc_node_bool(copy, "shouldCopyOplogs", false) && !svc_node_bool(cluster, "pitEnabled", false))
    BACKUP_RULES_COPY("shouldCopyOplogs", "needs continuous backups: the cluster's pitEnabled is false");
  if (items && !svc_node_bool(schedule, "copyPolicyItemsEnabled", false))
    BACKUP_RULES_COPY("copyPolicyItems", "needs copyPolicyItemsEnabled");
#undef BACKUP_RULES_COPY
}

static bool backup_rules_copies(svc_call *c, const svc_node *schedule, const svc_entity *cluster)
{
  const svc_node *copies = svc_node_get(schedule, "copySettings"), *copy, *body;
  size_t i = 0;
  if (!svc_node_first(copies)) return true;
  body = svc_entity_body(c, cluster);
  if (!body) return false;
  for (copy = copies->first; copy; copy = copy->next) backup_rules_copy(c, schedule, body, copy, i++);
  return true;
}

SVC_PRIVATE bool svc_backup_items_check(svc_call *c, const svc_node *schedule,
                                        const char *(*named)(const svc_backup_item *item, const char *field))
{
  svc_backup_plan plan;
  svc_backup_plan_of(schedule, &plan);
  plan.named = named;
  backup_rules_items(c, &plan);
  backup_rules_window(c, schedule, &plan);
  return svc_check_done(c);
}

SVC_PRIVATE bool svc_backup_policy_check(svc_call *c, const svc_node *schedule, const svc_entity *cluster)
{
  svc_backup_plan plan;
  svc_backup_plan_of(schedule, &plan);
  backup_rules_items(c, &plan);
  backup_rules_window(c, schedule, &plan);
  backup_rules_export(c, schedule);
  return backup_rules_copies(c, schedule, cluster) && svc_check_done(c);
}

/* ------------------------------------------------------------------------------------------------------------ compliance */

SVC_PRIVATE const svc_node *svc_compliance(svc_call *c)
{
  const svc_noun_info *noun = svc_noun_named(c->s, "backup compliance policy");
  svc_entity e;
  if (!noun || svc_count(c->txn, noun->noun->kind, &c->scope.group) == 0) return svc_txn_good(c), NULL;
  return svc_below_first(c->txn, noun->noun->kind, &c->scope.group, &e) ? svc_entity_body(c, &e) : (svc_txn_good(c), NULL);
}

/* Whether an item of the same frequency keeps its snapshots at least as long; of hourly items, also at least as often. */
static bool backup_rules_covers(const svc_backup_plan *plan, const svc_backup_item *least)
{
  size_t i;
  for (i = 0; i < plan->count; i++) {
    const svc_backup_item *item = &plan->items[i];
    if (item->frequency != least->frequency || svc_backup_days(item->keep, true) < svc_backup_days(least->keep, false))
      continue;
    if (item->frequency != SVC_BACKUP_HOURLY || item->interval <= least->interval) return true;
  }
  return false;
}

static const svc_node *backup_rules_least(const svc_node *policy)
{
  const svc_node *items = svc_node_get(policy, "scheduledPolicyItems");
  return svc_node_first(items);
}

SVC_PRIVATE bool svc_compliance_covers(const svc_node *policy, const svc_node *schedule)
{
  const svc_node *item;
  svc_backup_plan plan;
  svc_backup_item least;
  svc_backup_plan_of(schedule, &plan);
  for (item = backup_rules_least(policy); item; item = item->next)
    if (svc_backup_item_of(item, &least) && !backup_rules_covers(&plan, &least)) return false;
  return svc_node_i64(schedule, "restoreWindowDays", 0) >= svc_node_i64(policy, "restoreWindowDays", 0);
}

/* Refuses to turn off a boolean or to reduce a number. */
static void backup_rules_not_less(svc_call *c, const svc_node *before, const svc_node *body)
{
  static const char *const flags[] = { "copyProtectionEnabled", "encryptionAtRestEnabled", "pitEnabled" };
  size_t i;
  for (i = 0; i < sizeof flags / sizeof flags[0]; i++)
    if (svc_node_bool(before, flags[i], false) && !svc_node_bool(body, flags[i], false))
      svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, svc_str_c(flags[i]), "must stay true: a compliance policy cannot be weakened");
  if (svc_node_i64(body, "restoreWindowDays", 0) < svc_node_i64(before, "restoreWindowDays", 0))
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, SVC_S("restoreWindowDays"), "must be at least %lld: a compliance policy cannot be weakened",
                (long long)svc_node_i64(before, "restoreWindowDays", 0));
}

SVC_PRIVATE bool svc_compliance_kept(svc_call *c, const svc_node *before, const svc_node *body)
{
  const svc_node *item, *asked = svc_node_get(before, "onDemandPolicyItem");
  svc_backup_plan plan = { .count = 0, .field = "scheduledPolicyItems" };
  svc_backup_item least, now;
  for (item = backup_rules_least(body); item && plan.count < SVC_BACKUP_ITEMS; item = item->next)
    if (svc_backup_item_of(item, &plan.items[plan.count])) plan.count++;
  for (item = backup_rules_least(before); item; item = item->next)
    if (svc_backup_item_of(item, &least) && !backup_rules_covers(&plan, &least))
      svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, svc_str_c(plan.field), "must keep %s snapshots as often and as long as before: a compliance "
                  "policy cannot be weakened", svc_values_snapshot_frequencies[least.frequency]);
  if (asked && svc_backup_item_of(asked, &least) && (!svc_backup_item_of(svc_node_get(body, "onDemandPolicyItem"), &now) ||
                                                     svc_backup_days(now.keep, true) < svc_backup_days(least.keep, false)))
    svc_violate(c, SVC_E_INVALID_BACKUP_POLICY, SVC_S("onDemandPolicyItem"), "must keep snapshots as long as before: a compliance policy cannot be "
                "weakened");
  backup_rules_not_less(c, before, body);
  return svc_check_done(c);
}

SVC_PRIVATE bool svc_compliance_met(svc_call *c, const svc_node *schedule, svc_str cluster)
{
  const svc_node *policy = svc_compliance(c);
  if (!policy) return c->error.code == SVC_E_NONE;
  if (svc_compliance_covers(policy, schedule)) return true;
  return svc_fail(c, SVC_E_BACKUP_POLICIES_NOT_MEETING_BACKUP_COMPLIANCE_POLICY_REQUIREMENTS, "S", &cluster);
}

SVC_PRIVATE bool svc_backup_least_check(svc_call *c, const svc_node *policy)
{
  const svc_node *item;
  svc_backup_plan plan = { .count = 0, .field = "scheduledPolicyItems" };
  for (item = backup_rules_least(policy); item && plan.count < SVC_BACKUP_ITEMS; item = item->next)
    if (svc_backup_item_of(item, &plan.items[plan.count])) plan.count++;
  backup_rules_items(c, &plan);
  backup_rules_window(c, policy, &plan);
  return svc_check_done(c);
}

/* ---- schedules that do not meet the compliance policy */

static void backup_rules_keep_as(svc_call *c, svc_node *item, const svc_node *model)
{
  svc_node_put(c->arena, item, svc_node_copy(c->arena, svc_node_get(model, "retentionUnit")));
  svc_node_put(c->arena, item, svc_node_copy(c->arena, svc_node_get(model, "retentionValue")));
}

/* Raises the item of this frequency to the required retention and interval; adds a missing item. */
static bool backup_rules_raise(svc_call *c, svc_node *items, const svc_node *least)
{
  int frequency = svc_backup_frequency(svc_node_str(least, "frequencyType"));
  svc_backup_item held, wanted;
  svc_node *item;
  for (item = items->first; item; item = item->next)
    if (svc_backup_frequency(svc_node_str(item, "frequencyType")) == frequency) break;
  if (!item) {
    item = svc_node_copy(c->arena, least);
    if (!item) return svc_no_memory(c);
    svc_node_drop(item, "id"); /* the copy gets an id of its own */
    svc_node_append(items, item);
  }
  if (!svc_backup_item_of(item, &held) || !svc_backup_item_of(least, &wanted)) return true;
  if (svc_backup_days(held.keep, true) < svc_backup_days(wanted.keep, true)) backup_rules_keep_as(c, item, least);
  if (frequency == SVC_BACKUP_HOURLY && held.interval > wanted.interval)
    svc_node_set_i64(c->arena, item, "frequencyInterval", wanted.interval);
  return true;
}

/* Raises items of lower frequency to the retention of those of higher frequency. */
static void backup_rules_order(svc_call *c, svc_node *items)
{
  svc_backup_item a, b;
  svc_node *item, *other;
  for (item = items->first; item; item = item->next)
    for (other = items->first; other; other = other->next)
      if (svc_backup_item_of(item, &a) && svc_backup_item_of(other, &b) && a.frequency > b.frequency &&
          a.frequency != SVC_BACKUP_ON_DEMAND && svc_backup_days(a.keep, true) < svc_backup_days(b.keep, false))
        backup_rules_keep_as(c, item, other);
}

SVC_PRIVATE svc_node *svc_backup_policy_items(svc_call *c, svc_node *schedule)
{
  svc_node *policies = svc_node_get(schedule, "policies"), *policy, *items;
  if (svc_node_first(policies)) return svc_node_get(policies->first, "policyItems");
  policies = svc_node_array(c->arena, "policies");
  policy = svc_node_object(c->arena, NULL);
  items = svc_node_array(c->arena, "policyItems");
  if (!policies || !policy || !items) return NULL;
  svc_node_put(c->arena, policy, items);
  svc_node_append(policies, policy);
  svc_node_put(c->arena, schedule, policies);
  return items;
}

SVC_PRIVATE bool svc_compliance_raise(svc_call *c, const svc_node *policy, svc_node *schedule)
{
  svc_node *items = svc_backup_policy_items(c, schedule);
  int64_t window = svc_node_i64(policy, "restoreWindowDays", 0);
  const svc_node *least;
  if (!items) return svc_no_memory(c);
  for (least = backup_rules_least(policy); least; least = least->next)
    if (!backup_rules_raise(c, items, least)) return false;
  backup_rules_order(c, items);
  if (svc_node_i64(schedule, "restoreWindowDays", 0) < window)
    svc_node_set_i64(c->arena, schedule, "restoreWindowDays", window);
  return true;
}
