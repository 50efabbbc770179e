/*
** Value lists that several nouns share: cloud providers, their regions, and instance sizes.
**
** The rule: each list is defined once, here, so that nouns never disagree about the name of a region. A list that only one
** noun uses is defined in that noun's file.
*/
#ifndef SVC_VALUES_H
#define SVC_VALUES_H

/* A table in a header of the catalog. Each file that includes the header has its own copy, and need not use it. */
#if defined(__GNUC__)
#define SVC_SHARED static __attribute__((unused)) const
#else
#define SVC_SHARED static const
#endif
#define SVC_LIST SVC_SHARED char *const

/* -------------------------------------------------------------------------------------------------------- providers */

/* TENANT is not a cloud, but a share of a machine in one of the others. */
SVC_LIST svc_values_providers[] = { "AWS", "AZURE", "GCP", "TENANT", NULL };
SVC_LIST svc_values_clouds[] = { "AWS", "AZURE", "GCP", NULL };

/* ------------------------------------------------------------------------------------------------------------ nodes */

/* The kinds of nodes in a region of a cluster, by the members that describe them; below, the members that show the specs in effect. */
SVC_LIST svc_values_node_kinds[] = { "electableSpecs", "readOnlySpecs", "analyticsSpecs", NULL };
SVC_LIST svc_values_effective_kinds[] = { "effectiveElectableSpecs", "effectiveReadOnlySpecs", "effectiveAnalyticsSpecs", NULL };

/* ---------------------------------------------------------------------------------------------------------- regions */

/* Three region names are used by more than one provider, and listed in the arrays below. */
#define SVC_REGIONS_OF_AWS \
  "AF_SOUTH_1", "AP_EAST_1", "AP_EAST_2", "AP_NORTHEAST_1", "AP_NORTHEAST_2", "AP_NORTHEAST_3", "AP_SOUTHEAST_1", \
  "AP_SOUTHEAST_2", "AP_SOUTHEAST_3", "AP_SOUTHEAST_4", "AP_SOUTHEAST_5", "AP_SOUTHEAST_6", "AP_SOUTHEAST_7", \
  "AP_SOUTH_1", "AP_SOUTH_2", "CA_CENTRAL_1", "CA_WEST_1", "CN_NORTHWEST_1", "CN_NORTH_1", "EU_CENTRAL_1", \
  "EU_CENTRAL_2", "EU_NORTH_1", "EU_SOUTH_1", "EU_SOUTH_2", "EU_WEST_1", "EU_WEST_2", "EU_WEST_3", "GLOBAL", \
  "IL_CENTRAL_1", "ME_CENTRAL_1", "ME_SOUTH_1", "MX_CENTRAL_1", "SA_EAST_1", "US_EAST_1", "US_GOV_EAST_1", \
  "US_GOV_WEST_1", "US_WEST_1"

#define SVC_REGIONS_OF_AZURE \
  "ASIA_EAST", "ASIA_SOUTH_EAST", "AUSTRALIA_CENTRAL", "AUSTRALIA_CENTRAL_2", "AUSTRALIA_EAST", \
  "AUSTRALIA_SOUTH_EAST", "BRAZIL_SOUTH", "BRAZIL_SOUTHEAST", "CANADA_CENTRAL", "CANADA_EAST", "CHILE_CENTRAL", "CHINA_EAST", \
  "CHINA_NORTH", "EUROPE_NORTH", "EUROPE_WEST", "FRANCE_CENTRAL", "FRANCE_SOUTH", "GERMANY_NORTH", \
  "GERMANY_WEST_CENTRAL", "INDIA_CENTRAL", "INDIA_SOUTH", "INDIA_WEST", "INDONESIA_CENTRAL", "ISRAEL_CENTRAL", "ITALY_NORTH", \
  "JAPAN_EAST", "JAPAN_WEST", "KOREA_CENTRAL", "KOREA_SOUTH", "MALAYSIA_WEST", "MEXICO_CENTRAL", "NEW_ZEALAND_NORTH", "NORWAY_EAST", \
  "NORWAY_WEST", "POLAND_CENTRAL", "QATAR_CENTRAL", "SOUTH_AFRICA_NORTH", "SOUTH_AFRICA_WEST", "SPAIN_CENTRAL", \
  "SWEDEN_CENTRAL", "SWEDEN_SOUTH", "SWITZERLAND_NORTH", "SWITZERLAND_WEST", "UAE_CENTRAL", "UAE_NORTH", "UK_SOUTH", \
  "UK_WEST", "US_CENTRAL", "US_EAST", "US_GOV_ARIZONA", "US_GOV_TEXAS", "US_GOV_VIRGINIA", "US_NORTH_CENTRAL", \
  "US_SOUTH_CENTRAL", "US_WEST", "US_WEST_CENTRAL"

#define SVC_REGIONS_OF_GCP \
  "AFRICA_SOUTH_1", "ASIA_EAST_2", "ASIA_NORTHEAST_2", "ASIA_NORTHEAST_3", "ASIA_SOUTHEAST_2", "ASIA_SOUTH_1", \
  "ASIA_SOUTH_2", "AUSTRALIA_SOUTHEAST_1", "AUSTRALIA_SOUTHEAST_2", "CENTRAL_US", "CENTRAL_US_AW", \
  "EASTERN_ASIA_PACIFIC", "EASTERN_US", "EASTERN_US_AW", "EUROPE_CENTRAL_2", "EUROPE_NORTH_1", "EUROPE_SOUTHWEST_1", \
  "EUROPE_WEST_10", "EUROPE_WEST_12", "EUROPE_WEST_2", "EUROPE_WEST_3", "EUROPE_WEST_4", "EUROPE_WEST_6", \
  "EUROPE_WEST_8", "EUROPE_WEST_9", "MIDDLE_EAST_CENTRAL_1", "MIDDLE_EAST_CENTRAL_2", "MIDDLE_EAST_WEST_1", \
  "NORTHEASTERN_ASIA_PACIFIC", "NORTH_AMERICA_NORTHEAST_1", "NORTH_AMERICA_NORTHEAST_2", "NORTH_AMERICA_SOUTH_1", \
  "SOUTHEASTERN_ASIA_PACIFIC", "SOUTH_AMERICA_EAST_1", "SOUTH_AMERICA_WEST_1", "US_EAST_4", "US_EAST_4_AW", \
  "US_EAST_5", "US_EAST_5_AW", "US_SOUTH_1", "US_SOUTH_1_AW", "US_WEST_2_AW", "US_WEST_3_AW", "US_WEST_4", \
  "US_WEST_4_AW", "WESTERN_EUROPE", "WESTERN_US", "WESTERN_US_AW"

SVC_LIST svc_values_aws_regions[] = { SVC_REGIONS_OF_AWS, "US_EAST_2", "US_WEST_2", NULL };
SVC_LIST svc_values_azure_regions[] = { SVC_REGIONS_OF_AZURE, "US_EAST_2", "US_WEST_2", "US_WEST_3", NULL };
SVC_LIST svc_values_gcp_regions[] = { SVC_REGIONS_OF_GCP, "US_WEST_2", "US_WEST_3", NULL };
SVC_LIST svc_values_regions[] = {
  SVC_REGIONS_OF_AWS, SVC_REGIONS_OF_AZURE, SVC_REGIONS_OF_GCP, "US_EAST_2", "US_WEST_2", "US_WEST_3", NULL
};

SVC_LIST svc_values_cluster_types[] = { "REPLICASET", "SHARDED", "GEOSHARDED", NULL };

/* --------------------------------------------------------------------------------------------------- instance sizes */

SVC_LIST svc_values_aws_sizes[] = {
  "M10", "M20", "M30", "M40", "M50", "M60", "M80", "M100", "M140", "M200", "M300", "R40", "R50", "R60", "R80", "R200",
  "R300", "R400", "R700", "M40_NVME", "M50_NVME", "M60_NVME", "M80_NVME", "M200_NVME", "M400_NVME", "M30_GEN_2",
  "M40_GEN_2", "M50_GEN_2", "M60_GEN_2", "M80_GEN_2", "M140_GEN_2", "M200_GEN_2", "M300_GEN_2", "R40_GEN_2",
  "R50_GEN_2", "R60_GEN_2", "R80_GEN_2", "R200_GEN_2", "R300_GEN_2", "R400_GEN_2", "R700_GEN_2", "M40_NVME_GEN_2",
  "M50_NVME_GEN_2", "M60_NVME_GEN_2", "M80_NVME_GEN_2", "M200_NVME_GEN_2", "M400_NVME_GEN_2", NULL
};

SVC_LIST svc_values_azure_sizes[] = {
  "M10", "M20", "M30", "M40", "M50", "M60", "M80", "M90", "M200", "R40", "R50", "R60", "R80", "R200", "R300", "R400",
  "M60_NVME", "M80_NVME", "M200_NVME", "M300_NVME", "M400_NVME", "M600_NVME", NULL
};

SVC_LIST svc_values_gcp_sizes[] = {
  "M10", "M20", "M30", "M40", "M50", "M60", "M80", "M140", "M200", "M250", "M300", "M400", "R40", "R50", "R60", "R80",
  "R200", "R300", "R400", "R600", "M30_GEN_2", "M40_GEN_2", "M50_GEN_2", "M60_GEN_2", "M80_GEN_2", "M140_GEN_2",
  "M200_GEN_2", "R40_GEN_2", "R50_GEN_2", "R60_GEN_2", "R80_GEN_2", "R200_GEN_2", "R300_GEN_2", "R400_GEN_2", NULL
};

SVC_LIST svc_values_tenant_sizes[] = { "M0", "M2", "M5", NULL };

/* The sizes of all providers but TENANT: the bounds of auto-scaling. */
SVC_LIST svc_values_sizes[] = {
  "M10", "M20", "M30", "M40", "M50", "M60", "M80", "M90", "M100", "M140", "M200", "M250", "M300", "M400", "M30_GEN_2",
  "M40_GEN_2", "M50_GEN_2", "M60_GEN_2", "M80_GEN_2", "M140_GEN_2", "M200_GEN_2", "M300_GEN_2", "M40_NVME",
  "M50_NVME", "M60_NVME", "M80_NVME", "M200_NVME", "M300_NVME", "M400_NVME", "M600_NVME", "M40_NVME_GEN_2",
  "M50_NVME_GEN_2", "M60_NVME_GEN_2", "M80_NVME_GEN_2", "M200_NVME_GEN_2", "M400_NVME_GEN_2", "R40", "R50", "R60",
  "R80", "R200", "R300", "R400", "R600", "R700", "R40_GEN_2", "R50_GEN_2", "R60_GEN_2", "R80_GEN_2", "R200_GEN_2",
  "R300_GEN_2", "R400_GEN_2", "R700_GEN_2", NULL
};

/* --------------------------------------------------------------------------------------------------- roles */

/* Roles on an organization; catalog/role_list.h defines which roles each one includes. */
SVC_LIST svc_values_org_roles[] = { "ORG_OWNER", "ORG_MEMBER", "ORG_GROUP_CREATOR", "ORG_BILLING_ADMIN",
                                    "ORG_BILLING_READ_ONLY", "ORG_STREAM_PROCESSING_ADMIN", "ORG_READ_ONLY", NULL };

/* ------------------------------------------------------------------------------------------------------------- TLS */

SVC_LIST svc_values_tls[] = { "TLS1_0", "TLS1_1", "TLS1_2", "TLS1_3", NULL };
SVC_LIST svc_values_cipher_modes[] = { "CUSTOM", "DEFAULT", NULL };
SVC_LIST svc_values_ciphers_12[] = {
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", NULL
};
SVC_LIST svc_values_ciphers_13[] = { "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256",
                                     "TLS_AES_128_CCM_SHA256", NULL };

#endif /* SVC_VALUES_H */
