/*
** Embeds the service in a program that already uses mongoose: requests below /api/ go to the service, all others stay with the program.
** Reads take microseconds. A write waits for the disk and blocks this loop meanwhile: a program with many writes uses ports/listener.h,
** which has threads for them.
**
**   D=build/deps; cc -std=gnu11 -I. -I$D examples/in_mongoose.c $D/mongoose.c build/libsvcapi.a $D/mbedtls/library/libmbed{x509,crypto}.a -pthread
**   ./a.out http://127.0.0.1:8000
*/
#include "mongoose.h"
#include "svcapi.h"

enum { HEADERS = MG_MAX_HTTP_HEADERS };

static void hand_over(svc *s, struct mg_connection *c, struct mg_http_message *m)
{
  svc_header headers[HEADERS];
  char method[16], target[8192], peer[64], head[8192];
  svc_request request = { .method = method, .target = target, .headers = headers, .body = m->body.buf, .body_length = m->body.len,
                          .peer = peer };
  svc_response response;
  size_t i, n = 0;
  mg_snprintf(method, sizeof method, "%.*s", (int)m->method.len, m->method.buf);
  request.target_length = mg_snprintf(target, sizeof target, "%.*s%s%.*s", (int)m->uri.len, m->uri.buf, m->query.len ? "?" : "",
                                      (int)m->query.len, m->query.buf);
  mg_snprintf(peer, sizeof peer, "%M", mg_print_ip, &c->rem);
  for (i = 0; i < HEADERS && m->headers[i].name.len; i++)
    headers[i] = (svc_header){ m->headers[i].name.buf, m->headers[i].value.buf, m->headers[i].name.len, m->headers[i].value.len };
  request.header_count = i;
  if (request.target_length >= sizeof target) {
    mg_http_reply(c, 414, "", "");
    return;
  }
  svc_handle_request(s, &request, &response);
  for (i = 0; i < response.header_count && n < sizeof head; i++)
    if (strcmp(response.headers[i].name, "Content-Length") != 0)
      n += mg_snprintf(head + n, sizeof head - n, "%s: %s\r\n", response.headers[i].name, response.headers[i].value);
  if (n >= sizeof head) n = 0; /* never happens: the library's headers are bounded */
  mg_printf(c, "HTTP/1.1 %d %s\r\n%.*sContent-Length: %lu\r\n\r\n", response.status, svc_status_reason(response.status), (int)n, head,
            (unsigned long)response.body_length);
  mg_send(c, response.body, response.body_length);
  c->is_resp = 0; /* the answer is complete: the connection may send its next request */
  svc_response_free(&response);
}

static void handle(struct mg_connection *c, int event, void *data)
{
  struct mg_http_message *m = data;
  if (event != MG_EV_HTTP_MSG) return;
  if (m->uri.len > 5 && memcmp(m->uri.buf, "/api/", 5) == 0) hand_over(c->fn_data, c, m);
  else mg_http_reply(c, 200, "Content-Type: text/plain\r\n", "What this program did before.\n");
}

int main(int argc, char **argv)
{
  struct mg_mgr loop;
  svc_config config = { .base_url = argc > 1 ? argv[1] : "http://127.0.0.1:8000" };
  svc_credentials first;
  svc *s;
  if (svc_open(&s, &config) != SVC_OK || svc_bootstrap(s, &first) != SVC_OK) return 1;
  mg_log_set(MG_LL_ERROR);
  mg_mgr_init(&loop);
  if (!mg_http_listen(&loop, config.base_url, handle, s)) return 1;
  printf("%s --digest --user %s:%s %s/api/svc/v2/groups\n", "curl", first.public_key, first.private_key, config.base_url);
  fflush(stdout);
  for (;;) {
    mg_mgr_poll(&loop, 500);
    svc_tick(s); /* due steps happen even without requests */
  }
}
