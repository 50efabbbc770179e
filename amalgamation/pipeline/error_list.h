/*
** The errors: every code that an answer can carry, its HTTP status, and its sentence. The list has the errors of the pipeline;
** catalog/error_list.h has those that nouns share, and the file of a noun its own (SVC_ERROR()). Each code has advice for clients in
** catalog/error_advice.txt.
**
** The rule: code, status and text are written down once, in one of these places. The numbers SVC_E_... and the tables in errors.c
** and catalog/error_rows.c are generated from these lists. Codes and parameters are part of the interface, as clients read them; sentences
** are for people and may change. In a sentence {0}, {1}, ... stand for the parameters, which the last column names in order.
** The sentence uses every parameter, so a reader of the sentence alone misses nothing.
**
** Statuses are those seen in practice where they differ from the documented ones. Where no answer of the public service shows a code's
** parameters, "not found" and "exists already" have the key and then the parent's, refused attributes the attribute's name, and limits the
** limit first.
*/
#ifndef SVC_ERROR_LIST_H
#define SVC_ERROR_LIST_H

/* X(code, HTTP status, sentence, parameters in order, with commas between; "" for none) */
#define SVC_ERROR_LIST(X) \
  /* ---- Request shape */ \
  X(INVALID_ATTRIBUTE, 400, "The field {0} is not valid here.", "attribute") \
  X(MISSING_ATTRIBUTE, 400, "The field {0} is required.", "attribute") \
  X(ATTRIBUTE_READ_ONLY, 400, "The field {0} is read-only and cannot be set.", "attribute") \
  X(ATTRIBUTE_NEGATIVE, 400, "The field {0} must not be negative.", "attribute") \
  X(ATTRIBUTE_NEGATIVE_OR_ZERO, 400, "The field {0} must be greater than zero.", "attribute") \
  X(INVALID_JSON, 400, "The body has another JSON type than this operation expects.", "") \
  X(INVALID_JSON_ATTRIBUTE, 400, "The field {0} does not have the expected JSON type.", "attribute") \
  X(MALFORMED_JSON, 400, "The body is not valid JSON: {1} at byte {0}.", "position,what") \
  X(INVALID_ENUM_VALUE, 400, "The value of {0} is not an allowed value.", "attribute") \
  X(INVALID_QUERY_PARAMETER, 400, "The query parameter {0} is not valid: {1}.", "name,why") \
  X(MISSING_QUERY_PARAMETER, 400, "The query parameter {0} is required.", "name") \
  X(INVALID_PATH_PARAMETER, 400, "The path parameter {0} is not valid.", "name") \
  X(INVALID_DATE_FORMAT, 400, "The value of {0} is not an ISO 8601 date.", "attribute") \
  X(RESOURCE_NOT_FOUND, 404, "Cannot find resource {0}.", "path") \
  /* ---- Versions */ \
  /* INVALID_VERSION_DATE: documented as 400, answered as 406 in practice; the practice is kept. */ \
  X(INVALID_VERSION_DATE, 406, \
    "The Accept header must name a version of this resource by its date, such as 2025-03-12, in the service's " \
    "own media type.", \
    "") \
  X(VERSION_GONE, 410, "Version {0} of {1} is no longer available. Ask for a later version.", "version,path") \
  /* ---- Limits and the server */ \
  X(RATE_LIMITED_TOKEN_BUCKET, 429, \
    "Rate limit exceeded for {0}. Please retry after {1} seconds. Request capacity: {2}. Refill rate: {3} per " \
    "{4} seconds.", \
    "path,retryAfterSeconds,capacity,refillRate,refillDurationSeconds") \
  /* RATE_LIMITED: practice shows a path and two numbers; the meaning of the numbers is our reading. */ \
  X(RATE_LIMITED, 429, \
    "Too many requests for {0}: no more than {1} are allowed every {2} minutes.", "path,limit,minutes") \
  X(UNEXPECTED_ERROR, 500, "An internal error occurred. Please try again later.", "") \
  X(SERVICE_UNAVAILABLE, 503, "The service is temporarily unavailable. Please try again later.", "") \
  /* ---- Who may */ \
  X(USER_UNAUTHORIZED, 401, "You are not authorized for this resource.", "") \
  X(ACCESS_FORBIDDEN, 403, "Your roles do not allow this operation.", "") \
  X(CROSS_SITE_REQUEST, 403, \
    "A web page of another origin sent this request with the sign-in of a browser (Digest or Basic). Pages of other origins may not change anything.", "") \
  X(UNSUPPORTED_FOR_CURRENT_CONFIG, 403, "The current configuration does not allow {0}.", "feature") \
  /* ---- Access lists of callers */ \
  /* Older documents write WHITELIST for ACCESS_LIST in these names, and in those under Network. */ \
  X(IP_ADDRESS_NOT_ON_ACCESS_LIST, 403, "The address {0} is not on the access list of this credential.", "callerIp") \
  X(MULTI_FACTOR_AUTH_REQUIRED, 403, \
    "The organization {0} requires a second factor of authentication, and the caller has not passed one.", "orgId") \
  X(ORG_REQUIRES_ACCESS_LIST, 403, \
    "The organization requires an API access list, and this credential has none. Your address is {0}.", "callerIp") \
  /* ---- Projects */ \
  X(CANNOT_MOVE_GROUP_WITH_REFERENCES, 409, \
    "Project {0} cannot move to another organization: one of its references would cross organizations. Remove the reference first.", \
    "groupId") \
  /* ---- This library's own: refusals of the transport and the store that such services have no code for */ \
  X(METHOD_NOT_ALLOWED, 405, "The method {0} is not supported by {1}.", "method,path") \
  X(UNSUPPORTED_MEDIA_TYPE, 415, \
    "A body of type {0} is not supported here. Please send application/json.", "contentType") \
  X(REQUEST_TOO_LARGE, 413, "The body of the request is larger than {0} bytes.", "limitBytes") \
  X(URI_TOO_LONG, 414, "The address of the request is longer than {0} bytes.", "limitBytes") \
  X(HEADERS_TOO_LARGE, 431, "The headers of the request are larger than {0} bytes.", "limitBytes") \
  X(PRECONDITION_FAILED, 412, "The resource has changed since you read it. Read it again and repeat the change.", "") \
  X(IDEMPOTENCY_KEY_REUSED, 409, "The idempotency key {0} was used for a different request before.", "key") \
  X(INSUFFICIENT_STORAGE, 507, "The store of the service is full.", "") \
  X(INVALID_REQUEST, 400, "The request is invalid: {0}.", "what")

#define SVC_ERROR_ENUM(code, status, detail, parameters) SVC_E_##code,
enum svc_error { SVC_E_NONE, SVC_ERROR_LIST(SVC_ERROR_ENUM) };
#define SVC_E_CATALOG 1000 /* the first code of the catalog */

/* An error as the tables store it. */
typedef struct svc_error_row {
  const char *text; /* name, detail and parameters, each NUL-terminated: a single pointer for all three */
  short status;
} svc_error_row;
#define SVC_ERROR_ROW(name, status, detail, parameters) { #name "\0" detail "\0" parameters, status }

#endif /* SVC_ERROR_LIST_H */
