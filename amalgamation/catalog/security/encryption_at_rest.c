/*
** Encryption at rest of a project, with keys that the customer keeps at a provider: AWS KMS, Azure Key Vault, Google Cloud
** KMS. A cluster names the provider whose keys encrypt it (encryptionAtRestProvider).
**
** The settings of an enabled provider are complete: the key, and how the service accesses it, by a role (cloud_role.h) or by
** credentials. Credentials are sealed and never shown. A disabled provider keeps nothing: no role, no secret.
**
** A provider can be disabled only while no cluster and no private endpoint uses it. The driver reports whether a key is valid
** after each change. Without a driver, every complete key is valid.
*/
#include "catalog/security/cloud_role.h"
#include "catalog/security/encryption.h"
#include "catalog/values.h"

static const char *const encryption_at_rest_environments[] = { "AZURE", "AZURE_CHINA", "AZURE_US_GOVERNMENT", NULL };

#define ENCRYPTION_AT_REST_ENABLED() F_BOOL("enabled", .preset = "false")
#define ENCRYPTION_AT_REST_VALID() F_BOOL("valid", .flags = SVC_READ_ONLY, .preset = "false")
#define ENCRYPTION_AT_REST_SECRET(n, most) F_STR(n, .flags = SVC_SEALED | SVC_WRITE_ONLY, .min = 1, .max = most)

static const svc_field encryption_at_rest_aws_fields[] = {
  F_STR("accessKeyID", .min = 16, .max = 128),
  F_STR("customerMasterKeyID", .min = 1, .max = 2048),
  ENCRYPTION_AT_REST_ENABLED(),
  F_ENUM("region", svc_values_aws_regions),
  F_BOOL("requirePrivateNetworking"),
  F_HEX24("roleId"),
  ENCRYPTION_AT_REST_SECRET("secretAccessKey", 1024),
  ENCRYPTION_AT_REST_VALID()
};
static const svc_object encryption_at_rest_aws = { .name = "AWSKMSConfiguration", .fields = SVC_ROWS(encryption_at_rest_aws_fields) };

static const svc_field encryption_at_rest_azure_fields[] = {
  F_ENUM("azureEnvironment", encryption_at_rest_environments),
  F_STR("clientID", .format = SVC_FORMAT_UUID),
  ENCRYPTION_AT_REST_ENABLED(),
  F_STR("keyIdentifier", .min = 1, .max = 2048),
  F_STR("keyVaultName", .min = 1, .max = 255),
  F_BOOL("requirePrivateNetworking"),
  F_STR("resourceGroupName", .min = 1, .max = 255),
  F_HEX24("roleId"),
  ENCRYPTION_AT_REST_SECRET("secret", 1024),
  F_STR("subscriptionID", .format = SVC_FORMAT_UUID),
  F_STR("tenantID", .format = SVC_FORMAT_UUID),
  ENCRYPTION_AT_REST_VALID()
};
static const char *const encryption_at_rest_azure_at[] = { "azureEnvironment", "keyIdentifier", "keyVaultName", "tenantID", NULL };
static const svc_object encryption_at_rest_azure = { .name = "AzureKeyVault", .fields = SVC_ROWS(encryption_at_rest_azure_fields),
                                                     .ext = SVC_OBJECT_EXT(.secrets_go_to = encryption_at_rest_azure_at) };

static const svc_field encryption_at_rest_google_fields[] = {
  ENCRYPTION_AT_REST_ENABLED(),
  F_STR("keyVersionResourceID", .min = 1, .max = 2048),
  F_HEX24("roleId"),
  ENCRYPTION_AT_REST_SECRET("serviceAccountKey", 8192),
  ENCRYPTION_AT_REST_VALID()
};
static const svc_object encryption_at_rest_google = { .name = "GoogleCloudKMS", .fields = SVC_ROWS(encryption_at_rest_google_fields) };

#define ENCRYPTION_AT_REST_NONE "{\"enabled\":false,\"valid\":false}"

static const svc_field encryption_at_rest_fields[] = {
  F_OBJ("awsKms", &encryption_at_rest_aws, .preset = ENCRYPTION_AT_REST_NONE),
  F_OBJ("azureKeyVault", &encryption_at_rest_azure, .preset = ENCRYPTION_AT_REST_NONE),
  F_BOOL("enabledForSearchNodes", .preset = "false"),
  F_OBJ("googleCloudKms", &encryption_at_rest_google, .preset = ENCRYPTION_AT_REST_NONE)
};
static const svc_object encryption_at_rest_object = { .name = "EncryptionAtRest", .fields = SVC_ROWS(encryption_at_rest_fields) };

#define ENCRYPTION_AT_REST "/groups/{groupId}/encryptionAtRest", SVC_SET_ENCRYPTION_AT_REST, (20230101), SVC_R_GROUP_READ_ONLY, SVC_R_GROUP_OWNER

static const svc_route encryption_at_rest_routes[] = {
  R_GET(ENCRYPTION_AT_REST, "", .op = "getEncryptionAtRest", .run = svc_verb_read),
  R_PATCH(ENCRYPTION_AT_REST, "", .op = "updateEncryptionAtRest", .run = svc_verb_update,
          .example = "{\"awsKms\":{\"enabled\":true,\"customerMasterKeyID\":\"11112222-3333-4444-5555-666677778888\",\"region\":\"US_EAST_1\","
                     "\"accessKeyID\":\"AKIAIOSFODNN7EXAMPLE\",\"secretAccessKey\":\"wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY\","
                     "\"requirePrivateNetworking\":true}}")
};

static const svc_ref encryption_at_rest_refs[] = {
  SVC_CLOUD_ROLE("awsKms.roleId"), SVC_CLOUD_ROLE("azureKeyVault.roleId"), SVC_CLOUD_ROLE("googleCloudKms.roleId"), { NULL, NULL, 0, 0 }
};

/* Required fields of each provider: `needed` always; `credentials` if there is no role. Credentials from index `alone` on cannot be
** combined with a role. */
static const struct encryption_at_rest_keys {
  const char *member, *provider;
  const char *needed[5], *credentials[4];
  size_t alone;
} encryption_at_rest_by[] = {
  { "awsKms", "AWS", { "customerMasterKeyID", "region", NULL }, { "accessKeyID", "secretAccessKey", NULL }, 0 },
  { "azureKeyVault", "AZURE", { "keyIdentifier", "keyVaultName", "resourceGroupName", "subscriptionID", NULL },
    { "clientID", "tenantID", "secret", NULL }, 2 },
  { "googleCloudKms", "GCP", { "keyVersionResourceID", NULL }, { "serviceAccountKey", NULL }, 0 },
};
#define ENCRYPTION_AT_REST_PROVIDERS (sizeof encryption_at_rest_by / sizeof encryption_at_rest_by[0])

/* A provider in a change. */
typedef struct encryption_at_rest_one {
  const struct encryption_at_rest_keys *keys;
  svc_node *is;
  const svc_node *was;
} encryption_at_rest_one;

static bool encryption_at_rest_new(const encryption_at_rest_one *o, const char *field)
{
  const svc_node *is = svc_node_get(o->is, field), *was = svc_node_get(o->was, field);
  return is && (!was || !svc_node_same(is, was));
}

static svc_str encryption_at_rest_path(svc_call *c, const encryption_at_rest_one *o, const char *field)
{
  return svc_arena_print(c->arena, "%s.%s", o->keys->member, field);
}

/* ------------------------------------------------------------------------------------------------------------- disabled */

static bool encryption_at_rest_unused(svc_call *c, const encryption_at_rest_one *o)
{
  svc_str provider = svc_str_c(o->keys->provider), region;
  svc_entity e;
  if (svc_encryption_cluster(c, provider, SVC_S(""), &e)) return svc_fail(c, SVC_E_ENCRYPTION_AT_REST_IN_USE, "SS", &provider, &e.unique);
  if (!svc_below_where(c->txn, ENCRYPTION_ENDPOINT_KIND, &c->scope.group, "cloudProvider", provider, &e)) return svc_txn_good(c);
  region = svc_json_word(e.body, "regionName");
  return svc_fail(c, SVC_E_ENCRYPTION_AT_REST_HAS_PRIVATE_ENDPOINTS, "SS", &provider, &region);
}

/* Resets a disabled provider. The body may repeat shown fields, but not set new ones, because they would be lost. */
static bool encryption_at_rest_disable(svc_call *c, const encryption_at_rest_one *o)
{
  const svc_node *member;
  for (member = o->is->first; member; member = member->next) {
    const svc_node *was = svc_node_find(o->was, member->name);
    bool empty = member->type == SVC_J_BOOL && svc_str_is(member->text, "false");
    if (!empty && (!was || !svc_node_same(was, member)))
      svc_violate(c, SVC_E_INVALID_ATTRIBUTE, svc_arena_print(c->arena, "%s." SVC_FMT, o->keys->member, SVC_ARG(member->name)),
                  "can only be set if enabled is true");
  }
  if (c->error.violations) return true;
  o->is->first = o->is->last = NULL;
  svc_node_set_bool(c->arena, o->is, "enabled", false);
  svc_node_set_bool(c->arena, o->is, "valid", false);
  return !svc_node_bool(o->was, "enabled", false) || encryption_at_rest_unused(c, o);
}

/* -------------------------------------------------------------------------------------------------------------- enabled */

/* A new role replaces the credentials, and new credentials replace the role. Sending both is refused. */
static void encryption_at_rest_way(svc_call *c, const encryption_at_rest_one *o)
{
  const char *const *credential = o->keys->credentials + o->keys->alone;
  bool role = encryption_at_rest_new(o, "roleId");
  for (; *credential && svc_node_get(o->is, "roleId"); credential++) {
    bool fresh = encryption_at_rest_new(o, *credential);
    if (role && fresh) svc_violate(c, SVC_E_INVALID_ATTRIBUTE, encryption_at_rest_path(c, o, *credential), "cannot be combined with roleId");
    else if (fresh) svc_node_drop(o->is, "roleId");
    else svc_node_drop(o->is, *credential);
  }
}

static void encryption_at_rest_needs(svc_call *c, const encryption_at_rest_one *o, const char *const *fields, const char *unless)
{
  for (; *fields; fields++)
    if (!svc_node_get(o->is, *fields))
      svc_violate(c, SVC_E_MISSING_ATTRIBUTE, encryption_at_rest_path(c, o, *fields), "is required if enabled is true%s", unless);
}

/* Changed settings are not valid until the driver reports that they are. */
static bool encryption_at_rest_enable(svc_call *c, const encryption_at_rest_one *o)
{
  svc_str role;
  encryption_at_rest_way(c, o);
  role = svc_node_str(o->is, "roleId");
  encryption_at_rest_needs(c, o, o->keys->needed, "");
  if (!role.n) encryption_at_rest_needs(c, o, o->keys->credentials, ", or roleId");
  if (c->error.violations) return true;
  if (!o->was || !svc_node_same(o->is, o->was)) svc_node_set_bool(c->arena, o->is, "valid", false);
  return !role.n || svc_cloud_role(c, role, svc_str_c(o->keys->provider));
}

/* ---------------------------------------------------------------------------------------------------------------- hooks */

static bool encryption_at_rest_prepare(svc_call *c, svc_change *change)
{
  bool any = false;
  size_t i;
  for (i = 0; i < ENCRYPTION_AT_REST_PROVIDERS; i++) {
    const char *member = encryption_at_rest_by[i].member;
    encryption_at_rest_one one = { &encryption_at_rest_by[i], svc_node_get(change->body, member), svc_node_get(change->before, member) };
    bool enabled = svc_node_bool(one.is, "enabled", false);
    any = any || enabled;
    if (enabled ? !encryption_at_rest_enable(c, &one) : !encryption_at_rest_disable(c, &one)) return false;
  }
  if (!any && svc_node_bool(change->body, "enabledForSearchNodes", false))
    svc_violate(c, SVC_E_INVALID_ATTRIBUTE, SVC_S("enabledForSearchNodes"), "can only be true if a key provider is enabled");
  return svc_check_done(c);
}

/* Copies the driver's findings, {"awsKms":{"valid":true}}. A provider that they omit stays as it is. */
static bool encryption_at_rest_facts(svc_call *c, svc_change *change, const svc_node *facts)
{
  bool good = true;
  size_t i;
  for (i = 0; i < ENCRYPTION_AT_REST_PROVIDERS; i++) {
    svc_node *is = svc_node_get(change->body, encryption_at_rest_by[i].member);
    const svc_node *told = svc_node_get(facts, encryption_at_rest_by[i].member);
    if (!svc_node_bool(is, "enabled", false)) continue;
    if (svc_node_get(told, "valid")) svc_node_set_bool(c->arena, is, "valid", svc_node_bool(told, "valid", false));
    good = good && svc_node_bool(is, "valid", false);
  }
  if (!change->event) /* otherwise a request has changed it, and the simulator found it valid at once */
    change->event = good ? "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_SUCCEEDED" : "ENCRYPTION_AT_REST_CONFIGURATION_VALIDATION_FAILED";
  return true;
}

static bool encryption_at_rest_simulate(svc_call *c, const svc_change *change, const char *action, svc_node *facts)
{
  size_t i;
  (void)action;
  for (i = 0; i < ENCRYPTION_AT_REST_PROVIDERS; i++) {
    svc_node *found = svc_node_object(c->arena, encryption_at_rest_by[i].member);
    if (!found) return svc_no_memory(c);
    if (!svc_node_bool(svc_node_get(change->body, encryption_at_rest_by[i].member), "enabled", false)) continue;
    svc_node_set_bool(c->arena, found, "valid", true);
    svc_node_put(c->arena, facts, found);
  }
  return true;
}

static const svc_field encryption_at_rest_found_fields[] = { F_BOOL("valid", .flags = SVC_REQUIRED) };
static const svc_object encryption_at_rest_found = { .name = "KeyFacts", .fields = SVC_ROWS(encryption_at_rest_found_fields) };
static const svc_field encryption_at_rest_fact_fields[] = {
  F_OBJ("awsKms", &encryption_at_rest_found), F_OBJ("azureKeyVault", &encryption_at_rest_found), F_OBJ("googleCloudKms", &encryption_at_rest_found)
};
static const svc_object encryption_at_rest_facts_object = { .name = "EncryptionFacts", .fields = SVC_ROWS(encryption_at_rest_fact_fields) };
static const svc_order_row encryption_at_rest_orders[] = {
  { "encryption.put",
    "Check whether the keys can be used. Facts: which of the enabled keys are valid.",
    NULL, &encryption_at_rest_facts_object, 0 },
  { NULL, NULL, NULL, NULL, 0 }
};

SVC_PRIVATE const svc_noun svc_noun_encryption_at_rest = {
  .name = "encryption at rest",
  .rel = "encryptionAtRest",
  .kind = ENCRYPTION_KIND,
  .parent = "project",
  .flags = SVC_SINGLETON,
  .object = &encryption_at_rest_object,
  .refs = encryption_at_rest_refs,
  .event_updated = "ENCRYPTION_AT_REST_CONFIGURATION_UPDATED",
  .order_put = "encryption.put",
  .orders = encryption_at_rest_orders,
  .routes = SVC_ROUTES(encryption_at_rest_routes),
  .prepare = encryption_at_rest_prepare,
  .simulate = encryption_at_rest_simulate,
  .facts = encryption_at_rest_facts,
};
