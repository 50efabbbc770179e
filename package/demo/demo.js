// The demo: opens the service in this page and answers the console's requests with it. The page's address may have ?world=empty, team or company
// (default: team) and ?clock=stands (default: runs).
//
// The rule: a URL of the service below the page's own folder (api/..., _svc/..., openapi.json) never reaches the network. The console's modules are
// loaded only after this is ensured. They use nothing but the global fetch.
import { open } from './svcapi/index.js';

const $ = (id) => document.getElementById(id);
const home = new URL('.', document.baseURI), asked = new URLSearchParams(location.search);
const WORLDS = ['empty', 'team', 'company'], SNAPSHOTS = ['company'], CLOCKS = ['runs', 'stands'];
const FAULTS = { 503: { status: 503 }, 429: { status: 429 }, lost: { drop: 'after' }, late: { delayMs: 3000 }, expired: { kind: 'expiredToken' } };
const network = globalThis.fetch.bind(globalThis);

function state(text, wrong = false) {
  $('demo-state').textContent = text;
  $('demo-state').classList.toggle('wrong', wrong);
}

function choice(name, allowed, otherwise) {
  const value = asked.get(name) ?? otherwise;
  if (!allowed.includes(value)) throw new Error(`?${name}=${value} must be one of ${allowed.join(', ')}`);
  return value;
}

// Fetches a file of the demo. Callers read bytes, so the server's content type does not matter.
async function file(path) {
  const answer = await network(new URL(path, home));
  if (!answer.ok) throw new Error(`${path}: the file server answers ${answer.status}`);
  return answer;
}

// Fetches the snapshot of a world and unpacks it. Some servers send .gz with Content-Encoding: then the browser has unpacked it already.
async function snapshot(world) {
  const bytes = new Uint8Array(await (await file(`svcapi/worlds/${world}.snapshot.gz`)).arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

async function service(world) {
  const wasm = await (await file('svcapi/svcapi.wasm')).arrayBuffer();
  return open({ wasm, baseUrl: home.href.replace(/\/$/, ''), clock: new Date(), ...(SNAPSHOTS.includes(world) ? { snapshot: await snapshot(world) } : { world }) });
}

// The console calls the service below the page's folder, as if svcd served the page there.
function answerInside(svc) {
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, document.baseURI);
    const path = url.href.startsWith(home.href) ? url.pathname.slice(home.pathname.length) : '';
    if (!path.startsWith('api/') && !path.startsWith('_svc/') && path !== 'openapi.json') return network(input, init);
    const inside = new URL(`/${path}${url.search}`, home);
    try {
      return await svc.fetch(input instanceof Request ? new Request(inside, input) : inside, init);
    } finally {
      look(svc);
    }
  };
}

// The banner shows the time of the service and the number of active faults.
function look(svc) {
  $('demo-now').textContent = `${svc.clock.now().toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const waiting = svc.faults.list().filter((rule) => rule.struck < rule.count).length;
  $('demo-clear').disabled = !waiting;
  $('demo-clear').textContent = waiting ? `Remove ${waiting === 1 ? '1 fault' : `${waiting} faults`}` : 'Remove faults';
}

// The page shows data from before the clock moved: the console reloads it, unless a form is being filled in.
function again() {
  if (!location.hash.includes('!')) [...document.querySelectorAll('#view .actions > button')].find((button) => button.textContent === 'Refresh')?.click();
}

function controls(svc, world, clock) {
  const acts = (act) => () => {
    try {
      state(act() ?? '');
    } catch (error) {
      state(error.message, true);
    }
    look(svc);
  };
  const moves = (move) => acts(() => { const before = svc.now(), text = move(); if (svc.now() !== before) again(); return text; });
  $('demo-world').value = world;
  $('demo-world').addEventListener('change', (event) => { location.href = `?${new URLSearchParams({ ...Object.fromEntries(asked), world: event.target.value })}`; });
  $('demo-rate').value = clock === 'runs' ? '1' : '0';
  $('demo-rate').addEventListener('change', acts(() => { svc.clock.rate(Number($('demo-rate').value)); }));
  for (const button of document.querySelectorAll('[data-advance]')) button.addEventListener('click', moves(() => { svc.clock.advance(button.dataset.advance); }));
  $('demo-next').addEventListener('click', moves(() => (svc.control('POST', 'clock', { toNextDue: true }).json.moved ? '' : 'Nothing is due.')));
  $('demo-add').addEventListener('click', acts(() => { svc.faults.add({ ...FAULTS[$('demo-fault').value], count: 1 }); }));
  $('demo-clear').addEventListener('click', acts(() => svc.faults.clear()));
  setInterval(() => look(svc), 500);
  look(svc);
  $('demo-controls').hidden = false;
}

// The console asks for credentials at the start, and after its token has expired (for example, when the clock moves by a day). The demo sends them.
// After "Sign out" it only fills them in.
function signIn(svc) {
  const { clientId, clientSecret } = svc.credentials;
  let left = false;
  const give = () => {
    if ($('signin').hidden) return;
    $('client').value = clientId;
    $('secret').value = clientSecret;
    if (!left) $('signin-form').requestSubmit();
    left = false;
  };
  $('out').addEventListener('click', () => { left = true; }, { capture: true });
  new MutationObserver(give).observe($('signin'), { attributes: true, attributeFilter: ['hidden'] });
  // A fault may refuse the sign-in: then the user can try again, with the fields filled in.
  new MutationObserver(() => { if (!$('signin').hidden && !$('secret').value) $('secret').value = clientSecret; }).observe($('signin-wrong'), { childList: true });
  give();
}

try {
  const world = choice('world', WORLDS, 'team'), clock = choice('clock', CLOCKS, 'runs');
  const svc = await service(world);
  if (clock === 'runs') svc.clock.rate(1);
  answerInside(svc);
  controls(svc, world, clock);
  await import('./_explorer/main.js');
  signIn(svc);
  document.body.classList.add('demo-ready');
  state('');
} catch (error) {
  state(`The demo cannot start: ${error.message}`, true);
}
