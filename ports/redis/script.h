/*
** The scripts that Redis runs, and the arguments of a command.
**
** The rule: each script uses one key, so it is atomic for concurrent callers, and in a cluster runs on the node of the key.
*/
#ifndef SVC_REDIS_SCRIPT_H
#define SVC_REDIS_SCRIPT_H

#include "limits.h"

/*
** The same steps as limiter_refill() and limiter_take(), except for a time before the beginning of the interval: up to one interval
** earlier, it counts as that beginning. A look takes and stores nothing. pcall: a key of another type gives an error, which counts as no
** key; SET replaces any value.
*/
static const char redis_take_script[] =
  "local capacity, rate, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\n"
  "local tokens, since, taken = capacity, now, 0\n"
  "local look, most = ARGV[6] == '1', tonumber(ARGV[7])\n"
  "local kept = redis.pcall('GET', KEYS[1])\n"
  "local t, s\n"
  "if type(kept) == 'string' then t, s = string.match(kept, '^(%d+) (%-?%d+)$') end\n"
  "if t then\n"
  "  tokens, since = math.min(tonumber(t), capacity), tonumber(s)\n"
  "  if now < since - interval then since = now end\n" /* the clock was set back */
  "  if now < since then now = since end\n"            /* another handle's clock is a little ahead */
  "  local passed = math.floor((now - since) / interval)\n"
  "  since = since + passed * interval\n"
  "  if passed >= math.ceil((capacity - tokens) / rate) then tokens = capacity else tokens = tokens + passed * rate end\n"
  "end\n"
  "if tokens == capacity then since = now end\n"
  "if most >= 0 and most < tokens then tokens = most end\n"
  "if tokens > 0 then taken = 1 end\n"
  "if look then return { taken, tokens, since + interval - now } end\n"
  "tokens = tokens - taken\n"
  "local full = since + math.ceil((capacity - tokens) / rate) * interval - now\n"
  "full = math.min(full + ARGV[5], 1e15)\n" /* 31,000 years: Redis refuses a time that exceeds 64 bits */
  "redis.call('SET', KEYS[1], string.format('%.0f %.0f', tokens, since), 'PX', string.format('%.0f', full))\n"
  "return { taken, tokens, since + interval - now }\n";

static const char redis_count_script[] =
  "local count, highest, window = tonumber(ARGV[1]), 0, string.rep('0', 64)\n"
  "local kept = redis.pcall('GET', KEYS[1])\n"
  "if kept then\n"
  "  local h, w\n"
  "  if type(kept) == 'string' then h, w = string.match(kept, '^(%d+) ([01]+)$') end\n"
  "  if not h or #h > 10 or #w ~= 64 then return 0 end\n" /* invalid: the used counts are unknown */
  "  highest, window = tonumber(h), w\n"
  "else\n" /* no key: the nonce is unused, unless it was issued before Redis was started */
  "  local info = redis.pcall('INFO', 'server')\n"
  "  local up = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')\n"
  "  if up and tonumber(up) * 1000 < tonumber(ARGV[3]) then return 0 end\n"
  "end\n"
  "local at = highest - count + 1\n"
  "if at < 1 then\n"
  "  window = string.sub('1' .. string.rep('0', math.min(count - highest, 64) - 1) .. window, 1, 64)\n"
  "  highest = count\n"
  "elseif at > 64 or string.sub(window, at, at) == '1' then\n"
  "  return 0\n"
  "else\n"
  "  window = string.sub(window, 1, at - 1) .. '1' .. string.sub(window, at + 1)\n"
  "end\n"
  "redis.call('SET', KEYS[1], string.format('%.0f %s', highest, window), 'PX', ARGV[2])\n"
  "return 1\n";

static const char *const redis_scripts[REDIS_SCRIPTS] = { [REDIS_TAKE] = redis_take_script, [REDIS_COUNT] = redis_count_script };

typedef struct redis_args {
  int n;
  const char *values[REDIS_ARGS];
  size_t lengths[REDIS_ARGS];
  char numbers[REDIS_ARGS][24];
} redis_args;

static void redis_bytes(redis_args *a, const char *p, size_t n)
{
  a->values[a->n] = p;
  a->lengths[a->n++] = n;
}

static void redis_text(redis_args *a, const char *text)
{
  redis_bytes(a, text, strlen(text));
}

static void redis_integer(redis_args *a, int64_t value)
{
  char *to = a->numbers[a->n];
  redis_bytes(a, to, (size_t)snprintf(to, sizeof a->numbers[0], "%lld", (long long)value));
}

#endif /* SVC_REDIS_SCRIPT_H */
