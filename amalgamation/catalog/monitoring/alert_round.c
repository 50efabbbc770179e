/*
** Alert round: a due step that measures the figures of a project's alert configurations, after a minute or an hour
** (alert_measuring.c). The record also stores since when the project has its current encryption keys (alert_stored.c).
*/
#include "catalog/monitoring/alert_parts.h"

static const svc_field alert_round_fields[] = { F_ANY("awsKms", .flags = SVC_READ_ONLY), F_ANY("azureKeyVault", .flags = SVC_READ_ONLY),
                                                F_ANY("googleCloudKms", .flags = SVC_READ_ONLY) };
static const svc_object alert_round_object = { .name = "AlertRound", .fields = SVC_ROWS(alert_round_fields) };

/* A figure, with the member that names its target. */
static const svc_field alert_round_figure_fields[] = {
  F_STR("clusterName"), F_STR("flexClusterName"), F_STR("host"), F_STR("metricName", .flags = SVC_REQUIRED), F_STR("processorName"),
  F_STR("replicaSetName"), F_STR("units"), F_NUM("value")
};
static const svc_object alert_round_figure = { .name = "AlertFigure", .fields = SVC_ROWS(alert_round_figure_fields) };
static const svc_field alert_round_figures_fields[] = { F_LIST("figures", &alert_round_figure, .max_items = 1000) };
static const svc_object alert_round_figures = { .name = "AlertFigures", .fields = SVC_ROWS(alert_round_figures_fields) };

static const svc_field alert_round_fact_fields[] = { F_BOOL("simulated") /* true, without `figures`: all figures come from the model */ };
static const svc_object alert_round_facts = { .name = "AlertFacts", .fields = SVC_ROWS(alert_round_fact_fields), .base = &alert_round_figures };

static const svc_order_row alert_round_orders[] = {
  { "metrics.measure",
    "Measure these figures, which alert configurations watch. Facts: the known figures, in the form of `desired`, each with its `value`.",
    &alert_round_figures, &alert_round_facts, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_alert_round = {
  .name = SVC_ALERT_ROUND,
  .kind = "arnd",
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &alert_round_object,
  .order_put = "metrics.measure",
  .orders = alert_round_orders,
  .fell_due = svc_alert_round_fell_due,
  .desired = svc_alert_round_desired,
  .facts = svc_alert_round_facts,
  .simulate = svc_alert_round_simulate,
};
