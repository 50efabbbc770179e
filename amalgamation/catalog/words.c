/*
** How names of operations are read, for the summaries of the OpenAPI document: they are made of the words of a name, "listOrgUsers" is
** "Return all organization users". Here are the words that are written otherwise in a sentence, and the names that make none.
*/
#include "catalog/catalog.h"

/* A word or a name, and what it is read as, in turn; closed by an empty one. One text takes less than a table of pointers. */
static const char words_list[] =
  "get\0Return\0" "list\0Return all\0" "Org\0organization\0" "Orgs\0organizations\0" "Group\0project\0" "Groups\0projects\0"
  "Api\0API\0" "Aws\0AWS\0" "Csv\0CSV\0" "Dns\0DNS\0" "Id\0ID\0" "Ids\0IDs\0" "Ip\0IP\0" "Jwks\0JWKS\0" "Ldap\0LDAP\0" "Sku\0SKU\0"
  "Skus\0SKUs\0" "Vpc\0VPC\0" "X509\0X.509\0" "Args\0arguments\0" "Cert\0certificate\0" "Certs\0certificates\0" "Coll\0collection\0"
  "Config\0configuration\0" "Configs\0configurations\0" "Db\0database\0" "Fts\0full-text\0" "Invite\0invitation\0"
  "Invites\0invitations\0" "Stat\0statistics\0"
  "autoScalingConfiguration\0Return auto scaling mode\0"
  "getDbDbVersions\0Return all database versions\0"
  "getOpenApi\0Return this document\0"
  "listGroupContainerAll\0Return all containers of all providers\0"
  "listInvoicePending\0Return all pending invoices\0"
  "startStreamProcessorWith\0Start stream processor with options\0"
  "tenantUpgrade\0Upgrade flex cluster\0"
  "upgradeTenantUpgrade\0Upgrade shared cluster\0"
  "withStreamSampleConnections\0Create stream workspace with sample connections\0";

SVC_PRIVATE const char *svc_word_read(svc_str word)
{
  const char *at = words_list;
  while (*at) {
    const char *read = at + strlen(at) + 1;
    if (svc_str_is(word, at)) return read;
    at = read + strlen(read) + 1;
  }
  return NULL;
}
