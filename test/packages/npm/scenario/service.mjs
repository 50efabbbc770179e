// In the place of test/api/service.mjs, whose world makes a request of every operation: here the module in this process answers, and every request
// is written down with its answer.
import { open } from 'svcapi';

export const BASE = 'http://svcapi.test';
export const config = { base_url: BASE, manual_clock: Date.parse('2025-06-01T00:00:00Z'), seed: 1, limiter_off: true, max_snapshot: 67108864,
  secret_key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' };
export const log = []; // {kind, method, target, headers, body, answer}

const { base_url: baseUrl, manual_clock: clock, seed, ...others } = config;
export const service = await open({ clock, seed, baseUrl, journal: 0, config: others });

function note(kind, method, target, headers, body, answer) {
  log.push({ kind, method, target, headers, body: Buffer.from(body), answer });
  const type = answer.headers.get('content-type') ?? '';
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(answer.bytes), body: /[/+]json/.test(type) ? answer.json : undefined };
}

export async function send(method, url, { body, headers = {} } = {}) {
  const json = body !== undefined && typeof body !== 'string';
  const text = json ? JSON.stringify(body) : body ?? '';
  const lines = Object.entries({ ...(json ? { 'Content-Type': 'application/json' } : {}), ...headers }).map(([name, value]) => `${name}: ${value}\n`).join('');
  const target = url.startsWith(BASE) ? url.slice(BASE.length) : url;
  return note('r', method, target, lines, text, service.call(method, target, lines, text));
}

export async function control(first, method, path, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  let answer;
  try {
    answer = service.control(method, path.slice(1), text === '' ? undefined : text);
  } catch (error) {
    if (!error.answer) throw error;
    answer = error.answer;
  }
  return note('c', method, `/_svc${path}`, '', text, answer);
}

export async function login(first) {
  const basic = Buffer.from(`${first.clientId}:${first.clientSecret}`).toString('base64');
  const answer = await send('POST', `${BASE}/api/oauth/token`, { body: 'grant_type=client_credentials',
    headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' } });
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${answer.bytes}`);
  return answer.body.access_token;
}
