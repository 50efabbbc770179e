/*
** Serves behind another HTTP server: nginx, lighttpd and Apache speak SCGI, whose request is a list of names and values followed by the
** body. The server terminates TLS, handles the connections and writes the logs. The program listens on a local
** socket, and answers one request at a time:
**
**   cc -I. examples/scgi.c build/libsvcapi.a build/deps/mbedtls/library/libmbed{x509,crypto}.a -pthread && ./a.out /run/svc.sock https://example.net
**   nginx:  location /api/ { include scgi_params; scgi_pass unix:/run/svc.sock; }
*/
#include "svcapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* "LENGTH:" then pairs of strings, each ended by NUL, then "," and the body. An invalid request gets no answer: the server is trusted. */
static void answer(svc *s, FILE *in, FILE *out)
{
  static char head[65536], body[1 << 20], names[64][128];
  svc_header headers[64];
  svc_request request = { .method = "GET", .target = "/", .headers = headers, .body = body };
  svc_response response;
  unsigned long size;
  size_t i, n = 0;
  if (fscanf(in, "%5lu:", &size) != 1 || size >= sizeof head || fread(head, 1, size, in) != size || getc(in) != ',') return;
  head[size] = 0;
  for (i = 0; i < size; ) {
    const char *name = head + i, *value = name + strlen(name) + 1;
    if (value > head + size) return;
    i = (size_t)(value - head) + strlen(value) + 1;
    if (strcmp(name, "REQUEST_METHOD") == 0) request.method = value;
    else if (strcmp(name, "REQUEST_URI") == 0) request.target = value;
    else if (strcmp(name, "REMOTE_ADDR") == 0) request.peer = value;
    else if (strcmp(name, "HTTPS") == 0) request.tls = strcmp(value, "on") == 0;
    else if (strcmp(name, "CONTENT_LENGTH") == 0) request.body_length = strtoul(value, NULL, 10);
    else if ((strncmp(name, "HTTP_", 5) == 0 || (strcmp(name, "CONTENT_TYPE") == 0 && *value)) && n < 64) {
      char *to = names[n]; /* turns HTTP_IF_MATCH into IF-MATCH */
      const char *c = name + (*name == 'H' ? 5 : 0);
      for (; *c && to < names[n] + sizeof names[0] - 1; c++) *to++ = *c == '_' ? '-' : *c;
      *to = 0;
      headers[n] = (svc_header){ names[n], value, 0, 0 };
      n++;
    }
  }
  request.header_count = n;
  if (request.body_length > sizeof body || fread(body, 1, request.body_length, in) != request.body_length) return;
  svc_handle_request(s, &request, &response);
  fprintf(out, "Status: %d %s\r\n", response.status, svc_status_reason(response.status));
  for (i = 0; i < response.header_count; i++) fprintf(out, "%s: %s\r\n", response.headers[i].name, response.headers[i].value);
  fputs("\r\n", out);
  fwrite(response.body, 1, response.body_length, out);
  svc_response_free(&response);
}

int main(int argc, char **argv)
{
  struct sockaddr_un at = { .sun_family = AF_UNIX };
  svc_config config = { .base_url = argc > 2 ? argv[2] : NULL };
  int door = socket(AF_UNIX, SOCK_STREAM, 0), guest;
  svc_credentials first;
  svc *s;
  if (argc < 2 || strlen(argv[1]) >= sizeof at.sun_path || svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  strcpy(at.sun_path, argv[1]);
  unlink(argv[1]);
  if (bind(door, (struct sockaddr *)&at, sizeof at) != 0 || listen(door, 64) != 0) return 1;
  printf("curl --digest --user %s:%s %s/api/svc/v2/groups\n", first.public_key, first.private_key, config.base_url);
  fflush(stdout);
  while ((guest = accept(door, NULL, NULL)) >= 0) {
    FILE *in = fdopen(guest, "r"), *out = fdopen(dup(guest), "w");
    if (!in || !out) return 1;
    answer(s, in, out);
    fclose(out);
    fclose(in);
  }
  return 1;
}
