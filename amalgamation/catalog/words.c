/*
** Words for the summaries of the OpenAPI document. A summary is made from the words of an operation's name: "listOrgUsers"
** becomes "Return all organization users". Listed here are the words that are written differently in a sentence, and names
** that need a sentence of their own.
*/
#include "catalog/catalog.h"

/* Pairs of a word or name and its replacement; an empty word ends the list. A single text needs less memory than a table of pointers. */
static const char words_list[] =
  "get\0Return\0" "list\0Return all\0" "Org\0organization\0" "Orgs\0organizations\0" "Group\0project\0" "Groups\0projects\0"
  "Api\0API\0" "Aws\0AWS\0" "Csv\0CSV\0" "Dns\0DNS\0" "Id\0ID\0" "Ids\0IDs\0" "Ip\0IP\0" "Jwks\0JWKS\0" "Ldap\0LDAP\0" "Sku\0SKU\0"
  "Skus\0SKUs\0" "Vpc\0VPC\0" "X509\0X.509\0" "Args\0arguments\0" "Cert\0certificate\0" "Certs\0certificates\0" "Coll\0collection\0"
  "Config\0configuration\0" "Configs\0configurations\0" "Db\0database\0" "Fts\0full-text\0" "Invite\0invitation\0"
  "Invites\0invitations\0" "Stat\0statistics\0" "With\0with options\0"
  "getDbDbVersions\0Return all database versions\0"
  "listGroupContainerAll\0Return all containers of all providers\0"
  "listInvoicePending\0Return all pending invoices\0"
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
