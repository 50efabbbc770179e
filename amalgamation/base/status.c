/*
** The status codes of svcapi.h as text, for logs and for hosts. Every code has a sentence, and so have unknown codes.
*/
#include "base/base.h"

const char *svc_strerror(int code)
{
  switch (code) {
  case SVC_OK: return "no error";
  case SVC_NOMEM: return "out of memory";
  case SVC_INVALID: return "an argument or a member of the configuration is invalid";
  case SVC_IO: return "the store cannot be read or written";
  case SVC_FULL: return "the disk is full, or the store may not grow any further";
  case SVC_BUSY: return "the store is in use by another process or handle";
  case SVC_NEWER: return "the store was written by a newer version of this library";
  case SVC_CORRUPT: return "the store is damaged, or is not a store of this library";
  case SVC_RANDOM: return "the random source failed";
  case SVC_EXISTS: return "the folder already holds a store";
  case SVC_UNFINISHED: return "the store is an incomplete copy: remove it and repeat the copy";
  case SVC_NOT_FOUND: return "there is no such resource, or nothing is due";
  case SVC_CLOCK: return "the clock of this machine differs from the database's clock by more than a minute";
  case SVC_OLDER: return "the store was written by an older version of this library, in a format that must be upgraded first: svcd --upgrade";
  default: return "unknown error";
  }
}
