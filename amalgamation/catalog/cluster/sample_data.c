/*
** The collections of the sample data, with their published figures: number and size of documents, and indexes. Also the
** queries that applications run on them, by fields that these collections have.
**
** The rule: all answers about sample data (sizes, slow queries, suggestions, logs) use this table, so that they agree.
*/
#include "catalog/cluster/sample_data.h"

static const svc_sample sample_data_rows[] = {
  { "sample_airbnb.listingsAndReviews", 5555, 17036, 533,
    { { "property_type_1_room_type_1_beds_1", "[{\"property_type\":1},{\"room_type\":1},{\"beds\":1}]" }, { "name_1", "[{\"name\":1}]" },
      { "address.location_2dsphere", "[{\"address.location\":\"2dsphere\"}]" } },
    { { "find", "{\"accommodates\":%u,\"price\":{\"$lt\":200}}", "[{\"number_of_reviews\":-1}]" } } },
  { "sample_analytics.accounts", 1746, 85, 5, { { NULL, NULL } }, { { "find", "{\"account_id\":%u}", NULL } } },
  { "sample_analytics.customers", 500, 341, 6, { { NULL, NULL } }, { { "find", "{\"username\":\"user%u\"}", NULL } } },
  { "sample_analytics.transactions", 1746, 9109, 100, { { NULL, NULL } }, { { "find", "{\"account_id\":%u}", NULL } } },
  { "sample_geospatial.shipwrecks", 11095, 373, 2, { { "coordinates_2dsphere", "[{\"coordinates\":\"2dsphere\"}]" } },
    { { "find", "{\"depth\":{\"$gt\":%u},\"feature_type\":\"Wrecks - Visible\"}", NULL } } },
  { "sample_guides.planets", 8, 143, 4, { { NULL, NULL } }, { { NULL, NULL, NULL } } },
  { "sample_mflix.comments", 41079, 284, 0, { { NULL, NULL } },
    { { "find", "{\"email\":\"user%u@fakegmail.com\"}", "[{\"date\":-1}]" }, { "aggregate", "{\"movie_id\":\"573a1390f29313caabcd%u\"}", NULL } } },
  { "sample_mflix.embedded_movies", 3483, 21107, 2048, { { NULL, NULL } }, { { "find", "{\"year\":%u,\"type\":\"movie\"}", NULL } } },
  { "sample_mflix.movies", 21349, 1561, 45,
    { { "cast_text_fullplot_text_genres_text_title_text", "[{\"_fts\":\"text\"},{\"_ftsx\":1}]" } },
    { { "find", "{\"genres\":\"Drama\",\"year\":{\"$gte\":%u}}", "[{\"imdb.rating\":-1}]" } } },
  { "sample_mflix.sessions", 1, 373, 0, { { "user_id_1", "[{\"user_id\":1}]" } }, { { NULL, NULL, NULL } } },
  { "sample_mflix.theaters", 1564, 238, 2, { { "geo index", "[{\"location.geo\":\"2dsphere\"}]" } },
    { { "find", "{\"location.address.zipcode\":\"%u\"}", NULL } } },
  { "sample_mflix.users", 185, 159, 0, { { "email_1", "[{\"email\":1}]" } }, { { NULL, NULL, NULL } } },
  { "sample_restaurants.neighborhoods", 195, 20219, 1500, { { NULL, NULL } }, { { NULL, NULL, NULL } } },
  { "sample_restaurants.restaurants", 25359, 428, 8, { { NULL, NULL } },
    { { "find", "{\"borough\":\"Queens\",\"grades.score\":{\"$lt\":%u}}", "[{\"name\":1}]" } } },
  { "sample_supplies.sales", 5000, 851, 10, { { NULL, NULL } }, { { "find", "{\"storeLocation\":\"Store %u\"}", "[{\"saleDate\":-1}]" } } },
  { "sample_training.companies", 9500, 3765, 400, { { NULL, NULL } }, { { "find", "{\"founded_year\":{\"$gt\":%u}}", "[{\"name\":1}]" } } },
  { "sample_training.grades", 100000, 203, 4, { { NULL, NULL } },
    { { "find", "{\"student_id\":%u}", NULL }, { "aggregate", "{\"class_id\":%u,\"scores.score\":{\"$gt\":90}}", NULL } } },
  { "sample_training.inspections", 80047, 275, 0, { { NULL, NULL } },
    { { "find", "{\"result\":\"Violation Issued\",\"certificate_number\":{\"$gt\":%u}}", "[{\"date\":-1}]" } } },
  { "sample_training.posts", 500, 64410, 151, { { NULL, NULL } }, { { "find", "{\"permalink\":\"p%u\"}", NULL } } },
  { "sample_training.routes", 66985, 191, 0, { { NULL, NULL } },
    { { "find", "{\"src_airport\":\"A%u\"}", NULL }, { "find", "{\"airline.name\":{\"$regex\":\"^a%u\",\"$options\":\"i\"}}", NULL } } },
  { "sample_training.trips", 10000, 459, 2, { { NULL, NULL } }, { { "find", "{\"start station id\":%u}", "[{\"start time\":-1}]" } } },
  { "sample_training.zips", 29470, 110, 0, { { NULL, NULL } }, { { "find", "{\"state\":\"S%u\"}", "[{\"pop\":-1}]" } } },
  { "sample_weatherdata.data", 10000, 1645, 10, { { NULL, NULL } }, { { "find", "{\"callLetters\":\"C%u\"}", "[{\"ts\":-1}]" } } },
};

/* A collection outside of the sample data, which a search index, an archive or a managed namespace names: records with an owner, a state and a title. */
static const svc_sample sample_data_other = {
  NULL, 40000, 640, 12, { { "owner_1", "[{\"owner\":1}]" }, { "owner_1_total_1", "[{\"owner\":1},{\"total\":1}]" }, { "former_1", "[{\"former\":1}]" } },
  { { "find", "{\"state\":\"S%u\"}", "[{\"since\":-1}]" }, { "find", "{\"owner\":%u}", NULL },
    { "aggregate", "{\"area\":\"A%u\",\"total\":{\"$gt\":10}}", NULL }, { "find", "{\"title\":{\"$regex\":\"^t%u\",\"$options\":\"i\"}}", NULL } }
};

SVC_PRIVATE const svc_sample *svc_sample_at(size_t i)
{
  return i < sizeof sample_data_rows / sizeof sample_data_rows[0] ? &sample_data_rows[i] : NULL;
}

SVC_PRIVATE const svc_sample *svc_sample_other(void)
{
  return &sample_data_other;
}

SVC_PRIVATE int64_t svc_sample_size(void)
{
  const svc_sample *row;
  int64_t size = 0;
  size_t i;
  for (i = 0; (row = svc_sample_at(i)) != NULL; i++) size += row->documents * row->average;
  return size;
}
