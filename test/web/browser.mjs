// Controls Chromium over its debugging pipe: JSON messages that end with a NUL, sent to file 3 and received from file 4. No package is needed.
// Messages of the page's console, exceptions and violations of its policy are kept, so that a test can check that there were none.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const KEYS = { Tab: 9, Enter: 13, Escape: 27, Space: 32, ArrowDown: 40, ArrowUp: 38, ArrowRight: 39, ArrowLeft: 37, k: 75 };
const TEXTS = { Enter: '\r', Space: ' ' };

export async function launch({ program, folder, args = [] }) {
  const child = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-extensions',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--disable-ipc-flooding-protection', '--remote-debugging-pipe', '--user-data-dir=' + folder,
    ...args, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
  const waiting = new Map(), listeners = [];
  let last = 0, rest = '', errors = '';
  child.stderr.on('data', (d) => { errors = (errors + d).slice(-4000); });
  child.on('exit', (code) => { for (const w of waiting.values()) w.bad(new Error('the browser has ended with ' + code + ': ' + errors.split('\n').slice(-3).join(' '))); });
  child.stdio[4].setEncoding('utf8').on('data', (d) => {
    const parts = (rest + d).split('\0');
    rest = parts.pop();
    for (const m of parts.map((p) => JSON.parse(p))) {
      const w = waiting.get(m.id);
      if (w) { waiting.delete(m.id); if (m.error) w.bad(new Error(w.method + ': ' + m.error.message)); else w.good(m.result); } else for (const l of listeners) l(m);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((good, bad) => {
    waiting.set(++last, { good, bad, method });
    child.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + '\0');
  });
  await send('Browser.getVersion');
  return {
    send,
    version: (await send('Browser.getVersion')).product,
    page: (options) => open(send, listeners, options),
    listen: (f) => listeners.push(f),
    close: async () => { const gone = new Promise((done) => child.once('exit', done)); await send('Browser.close').catch(() => {}); await gone; },
  };
}

async function open(send, listeners, { width = 1280, height = 900, scheme = 'light', mobile = false, scale = 1, bare = false } = {}) {
  const { browserContextId } = await send('Target.createBrowserContext');
  const { targetId } = await send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const cdp = (method, params) => send(method, params, sessionId);
  const said = [], requests = new Map();
  listeners.push((m) => {
    if (m.sessionId !== sessionId) return;
    const p = m.params;
    if (m.method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(p.type)) said.push(p.type + ': ' + p.args.map((a) => a.value ?? a.description).join(' '));
    if (m.method === 'Runtime.exceptionThrown') said.push('thrown: ' + (p.exceptionDetails.exception?.description ?? p.exceptionDetails.text));
    if (m.method === 'Log.entryAdded' && p.entry.level === 'error') said.push(p.entry.source + ': ' + p.entry.text + ' ' + (p.entry.url ?? ''));
    if (m.method === 'Audits.issueAdded' && p.issue.code === 'ContentSecurityPolicyIssue') said.push('policy: ' + JSON.stringify(p.issue.details));
    if (m.method === 'Page.javascriptDialogOpening') said.push('dialog: ' + p.message);
    if (m.method === 'Network.responseReceived') requests.set(p.requestId, { url: p.response.url, status: p.response.status, type: p.type, bytes: 0 });
    if (m.method === 'Network.loadingFinished' && requests.has(p.requestId)) requests.get(p.requestId).bytes = p.encodedDataLength;
  });
  for (const d of ['Page', 'Runtime', 'Log', 'Network', ...(bare ? [] : ['Audits', 'Accessibility'])]) await cdp(d + '.enable');
  const page = {
    cdp, said, requests,
    resize: (w, h, m = false, s = 1) => cdp('Emulation.setDeviceMetricsOverride', { width: w, height: h, deviceScaleFactor: s, mobile: m }),
    scheme: (value) => cdp('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] }),
    async goto(url) {
      const { errorText } = await cdp('Page.navigate', { url });
      if (errorText) throw new Error(url + ': ' + errorText);
      await page.until(() => document.readyState === 'complete', 'the page to be loaded');
    },
    // f runs in the page, with these arguments; its result is returned as JSON.
    async run(f, ...args) {
      const r = await cdp('Runtime.evaluate', { expression: '(' + f + ')(...' + JSON.stringify(args) + ')', awaitPromise: true, returnByValue: true });
      if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description ?? r.exceptionDetails.text);
      return r.result.value;
    },
    async until(f, what, ...args) {
      for (const end = Date.now() + 15000; ;) {
        const v = await page.run(f, ...args).catch((e) => { if (/context|navigat/i.test(e.message)) return undefined; throw e; });
        if (v) return v;
        if (Date.now() > end) throw new Error('waited in vain for ' + what + '; the page says: ' + (await page.run(() => document.body.innerText.slice(0, 600))).replace(/\s+/g, ' '));
        await new Promise((done) => setTimeout(done, 40));
      }
    },
    async key(name, modifiers = 0) {
      const base = { key: name === 'Space' ? ' ' : name, code: name, windowsVirtualKeyCode: KEYS[name], modifiers };
      await cdp('Input.dispatchKeyEvent', { type: 'keyDown', ...base, text: TEXTS[name] });
      await cdp('Input.dispatchKeyEvent', { type: 'keyUp', ...base });
    },
    type: (text) => cdp('Input.insertText', { text }),
    // Like a user with a mouse: clicks the middle of the visible part.
    async click(selector, text) {
      const at = await page.until((s, t) => {
        const e = [...document.querySelectorAll(s)].find((x) => x.checkVisibility() && (!t || x.textContent.trim() === t) && !x.disabled);
        if (!e) return null;
        e.scrollIntoView({ block: 'center' });
        const r = e.getClientRects()[0];
        return r ? [r.x + r.width / 2, r.y + r.height / 2] : null;
      }, selector + (text ? ' "' + text + '"' : ''), selector, text ?? null);
      for (const type of ['mousePressed', 'mouseReleased']) await cdp('Input.dispatchMouseEvent', { type, x: at[0], y: at[1], button: 'left', clickCount: 1 });
    },
    // Clears and fills the field with this label.
    async fill(label, value) {
      await page.until((l, v) => {
        const e = [...document.querySelectorAll('label')].find((x) => x.checkVisibility() && x.firstChild?.textContent.trim() === l)?.control;
        if (!e) return false;
        e.focus();
        if (e.tagName === 'SELECT') { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); e.dispatchEvent(new Event('change', { bubbles: true })); } else e.select();
        return true;
      }, 'a field ' + label, label, value);
      if (await page.run(() => document.activeElement.tagName !== 'SELECT')) await page.type(value);
    },
    async shot(file, full = false) {
      const { data } = await cdp('Page.captureScreenshot', { format: 'png', captureBeyondViewport: full, ...(full ? { clip: { ...(await cdp('Page.getLayoutMetrics')).cssContentSize, x: 0, y: 0, scale: 1 } } : {}) });
      writeFileSync(file, Buffer.from(data, 'base64'));
    },
    // Chromium's tracing while f runs: first paints, times from interactions to the next paint, layout shifts, tasks.
    async trace(f) {
      const events = [];
      let ended;
      const complete = new Promise((done) => { ended = done; });
      listeners.push((m) => { if (m.method === 'Tracing.dataCollected') events.push(...m.params.value); if (m.method === 'Tracing.tracingComplete') ended(); });
      await cdp('Tracing.start', { traceConfig: { includedCategories: ['devtools.timeline', 'loading', 'blink.user_timing'], excludedCategories: ['*'] }, transferMode: 'ReportEvents' });
      try { await f(); } finally { await cdp('Tracing.end'); await complete; listeners.pop(); }
      const started = new Map(events.filter((e) => e.name === 'navigationStart').map((e) => [e.args.data?.navigationId, e.ts]));
      return {
        paints: events.filter((e) => e.name === 'firstContentfulPaint' && started.has(e.args.data?.navigationId)).map((e) => (e.ts - started.get(e.args.data.navigationId)) / 1000),
        interactions: events.filter((e) => e.name === 'EventTiming' && e.args.data?.interactionId).map((e) => ({ type: e.args.data.type, ms: e.args.data.duration })),
        shifts: events.filter((e) => e.name === 'LayoutShift' && !e.args.data.had_recent_input).map((e) => e.args.data),
        tasks: events.filter((e) => e.name === 'RunTask' && e.dur).map((e) => e.dur / 1000),
      };
    },
    close: () => send('Target.disposeBrowserContext', { browserContextId }),
  };
  await page.resize(width, height, mobile, scale);
  await page.scheme(scheme);
  return page;
}
