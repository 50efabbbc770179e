// Checks of the page itself: names of controls, contrast, width, storage. Each function returns a list of problems.

// Every control has a name for screen readers; there is one heading of the first level, and the landmarks exist.
export async function nameless(page) {
  const { nodes } = await page.cdp('Accessibility.getFullAXTree');
  const controls = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'checkbox', 'radio', 'listbox', 'meter', 'DisclosureTriangle', 'table', 'dialog', 'region'];
  const seen = nodes.filter((n) => !n.ignored), role = (n) => n.role?.value, name = (n) => (n.name?.value ?? '').trim();
  const wrong = seen.filter((n) => controls.includes(role(n)) && name(n) === '' && !(role(n) === 'table' && isInRegion(n, seen))).map((n) => role(n) + ' without a name');
  for (const landmark of ['banner', 'main']) if (!seen.some((n) => role(n) === landmark)) wrong.push('no landmark ' + landmark);
  const firsts = seen.filter((n) => role(n) === 'heading' && n.properties?.some((p) => p.name === 'level' && p.value.value === 1));
  if (firsts.length !== 1) wrong.push(firsts.length + ' headings of the first level');
  return wrong;
}

function isInRegion(n, all) {
  const by = new Map(all.map((x) => [x.nodeId, x]));
  for (let at = by.get(n.parentId); at; at = by.get(at.parentId)) if (at.role?.value === 'region' && at.name?.value) return true;
  return false;
}

// WCAG 2, 1.4.3: contrast of every visible text with its background.
export const pale = (page) => page.run(() => {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith('color(srgb') ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
  const wrong = new Set(), texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let t; (t = texts.nextNode());) {
    const e = t.parentElement;
    if (t.textContent.trim() === '' || !e.checkVisibility({ visibilityProperty: true }) || e.closest('.off, :disabled, noscript, option')) continue;
    const style = getComputedStyle(e), a = light(parse(style.color)), b = light(behind(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const opacity = [...(function* up(x) { for (; x; x = x.parentElement) yield Number(getComputedStyle(x).opacity); })(e)].reduce((x, y) => x * y, 1);
    if (ratio * opacity < 4.5) wrong.add(e.tagName + '.' + e.className + ' "' + t.textContent.trim().slice(0, 30) + '" ' + ratio.toFixed(2));
  }
  return [...wrong];
});

export const wide = (page) => page.run(() => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  return ['the page is ' + document.documentElement.scrollWidth + ' wide', ...[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > most + 1 && !e.closest('.scroll')).slice(0, 4).map((e) => e.tagName + '.' + e.className)];
});

export async function stored(page) {
  const { cookies } = await page.cdp('Network.getCookies');
  const kept = await page.run(async () => [localStorage.length && 'localStorage', sessionStorage.length && 'sessionStorage', (await indexedDB.databases()).length && 'indexedDB',
    window.isSecureContext && (await caches.keys()).length && 'caches', document.cookie && 'document.cookie'].filter(Boolean));
  return [...kept, ...(cookies.length ? ['cookies'] : [])];
}
