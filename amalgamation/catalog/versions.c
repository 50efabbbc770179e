/*
** Older dated versions with the shape of the newest: rows that several nouns share. A row whose shape differs is defined
** next to the routes of its noun.
*/
#include "catalog/catalog.h"

#define VERSIONS_20230101 { .date = 20230101, .sunset = 20270701 }

SVC_PRIVATE const svc_older svc_older_20230101[] = { VERSIONS_20230101, { .date = 0 } };
SVC_PRIVATE const svc_older svc_older_until_20230201[] = { VERSIONS_20230101, { .date = 20230201, .sunset = 20270701 }, { .date = 0 } };
SVC_PRIVATE const svc_older svc_older_until_20240530[] = { VERSIONS_20230101, { .date = 20240530, .sunset = 20270701 }, { .date = 0 } };
