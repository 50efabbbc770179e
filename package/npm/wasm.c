/*
** The part of the WebAssembly module that is not svcapi: random bytes for mbedTLS, from the host (WASI random_get).
*/
#include <stddef.h>
#include <unistd.h>

#include <mbedtls/entropy.h>

#define WASM_AT_ONCE 256 /* maximum bytes of one getentropy() */

int mbedtls_hardware_poll(void *data, unsigned char *output, size_t n, size_t *given)
{
  (void)data;
  if (n > WASM_AT_ONCE) n = WASM_AT_ONCE;
  if (getentropy(output, n) != 0) return MBEDTLS_ERR_ENTROPY_SOURCE_FAILED;
  *given = n;
  return 0;
}
