/*
** SKUs: a table with prices. Every metered resource has a SKU in it.
*/
#include "support.h"
#include "catalog/billing/bill.h"
#include "catalog/deployment/cluster_parts.h"
#include "catalog/stream/stream_parts.h"

TEST_SERVICE(sku, list)
{
  size_t i;
  munit_assert_int(t_send(t, "GET", "/skus?itemsPerPage=500", NULL), ==, 200);
  munit_assert_int64(t_int(t, "totalCount"), ==, SVC_SKU_COUNT);
  munit_assert_size(t_count(t, "results"), ==, SVC_SKU_COUNT);
  munit_assert_int(t_send(t, "GET", "/skus?itemsPerPage=2&pageNum=2", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "results[0].id"), svc_sku_at(2)->id);
  munit_assert_int(t_send(t, "GET", "/skus/INSTANCE_AWS_M10", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "id"), "INSTANCE_AWS_M10");
  munit_assert_string_equal(t_str(t, "description"), "INSTANCE AWS M10, $0.027 an hour for each node");
  munit_assert_int(t_send(t, "GET", "/skus/DATA_TRANSFER_AWS_INTERNET", NULL), ==, 200);
  munit_assert_string_equal(t_str(t, "description"), "DATA TRANSFER AWS INTERNET, $0.09 for each GB");
  munit_assert_int(t_send(t, "GET", "/skus/INSTANCE_AWS_M11", NULL), ==, 404);
  munit_assert_string_equal(t_error(t), "RESOURCE_NOT_FOUND");
  for (i = 1; i < SVC_SKU_COUNT; i++) munit_assert_int(strcmp(svc_sku_at(i - 1)->id, svc_sku_at(i)->id), <, 0);
  munit_assert_null(svc_sku_at(SVC_SKU_COUNT));
}

static void sku_known(const char *front, const char *const *values)
{
  char id[128];
  for (; *values; values++) {
    snprintf(id, sizeof id, "%s%s", front, *values);
    if (!svc_sku_find(svc_str_c(id))) munit_errorf("%s is metered, and has no price", id);
  }
}

/* Returns the values of a noun's field, or of a field in a nested object, "a.b". */
static const char *const *sku_values(const svc_object *object, const char *path)
{
  svc_str rest = svc_str_c(path);
  const svc_field *f = NULL;
  while (rest.n) {
    f = svc_field_named(object, svc_str_cut(&rest, '.'));
    munit_assert_not_null(f);
    object = svc_field_object(f);
  }
  munit_assert_not_null(f->values);
  return f->values;
}

/* Every combination of field values that a meter can use has a SKU. */
TEST_SERVICE(sku, metered)
{
  static const struct {
    const char *provider;
    const char *const *sizes;
  } clouds[] = { { "AWS", svc_values_aws_sizes }, { "AZURE", svc_values_azure_sizes }, { "GCP", svc_values_gcp_sizes } };
  static const char *const ways[] = { "DIFFERENT_REGION", "INTERNET", "SAME_REGION", NULL };
  const char *const *search;
  char front[64];
  size_t i, metered = 0;
  search = sku_values(svc_noun_named(t->s, "search deployment")->noun->object, "specs.instanceSize");
  for (i = 0; i < 3; i++) {
    snprintf(front, sizeof front, "INSTANCE_%s_", clouds[i].provider);
    sku_known(front, clouds[i].sizes);
    snprintf(front, sizeof front, "SEARCH_INSTANCE_%s_", clouds[i].provider);
    sku_known(front, search);
    snprintf(front, sizeof front, "DATA_TRANSFER_%s_", clouds[i].provider);
    sku_known(front, ways);
  }
  sku_known("INSTANCE_TENANT_", svc_values_tenant_sizes);
  sku_known("FLEX_", svc_values_clouds);
  sku_known("BACKUP_STORAGE_", svc_values_clouds);
  sku_known("PRIVATE_ENDPOINT_", svc_values_clouds);
  sku_known("STREAM_PROCESSING_", svc_stream_tiers);
  for (i = 0; i < t->s->noun_count; i++) metered += svc_noun_ext_of(t->s->nouns[i].noun)->meters != NULL;
  munit_assert_size(metered, ==, 7); /* the SKUs of a further noun belong here as well */
}
