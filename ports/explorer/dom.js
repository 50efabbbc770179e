// Creates elements. Data from the service enters the page as text, by append(), and never as markup: no module uses innerHTML, and the page's policy (Trusted
// Types) would refuse it.

export const $ = (id) => document.getElementById(id);

// Texts of others may have control characters that hide or reorder what stands around them: they are shown as escapes, \u202E. Everything that enters the
// page as text goes through here; style.css keeps the direction of each piece to itself (unicode-bidi).
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text) => String(text).replace(HIDDEN, (c) => '\\u' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0'));
export const nodes = (inside) => inside.flat(Infinity).filter((x) => x !== null && x !== undefined && x !== false).map((x) => (x instanceof Node ? x : visible(x)));
const SPOKEN = new Set(['title', 'aria-label', 'alt', 'placeholder']);

// A text of others inside of a sentence.
export const isolated = (text) => el('bdi', {}, text);

// el('a', { href, class: 'x', onclick }, 'text', node, [nodes], null)
export function el(tag, set, ...inside) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(set ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (name === 'value') e.value = value;
    else e.setAttribute(name, value === true ? '' : SPOKEN.has(name) ? visible(value) : value);
  }
  e.append(...nodes(inside));
  return e;
}

export const muted = (...inside) => el('span', { class: 'muted' }, inside);

let last = 0;
export const newId = (stem) => stem + '-' + ++last;

export function put(to, ...inside) {
  to.replaceChildren(...nodes(inside));
}

// Loads the styles of a part, once. Resolves when they are loaded, so that nothing is drawn without them. If loading fails, the part is drawn without them, and
// the next call tries again.
const sheets = new Map();
export function sheet(name) {
  if (!sheets.has(name)) sheets.set(name, new Promise((done) => {
    const lost = () => { sheets.delete(name); link.remove(); done(); }, link = el('link', { rel: 'stylesheet', href: new URL(name, import.meta.url), onload: done, onerror: lost });
    document.head.append(link);
  }));
  return sheets.get(name);
}

// Tells screen readers, in a sentence, what happened.
export function say(text) {
  const to = $('said');
  to.textContent = '';
  setTimeout(() => { to.textContent = visible(text); }, 50);
}

// Allows line breaks between the words of a name: "clusterType", "backup/exportBuckets"
export const breakable = (name) => name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[/_.-])/).flatMap((w, i) => (i ? [el('wbr'), w] : [w]));

export const plural = (n, one, many) => n + ' ' + (n === 1 ? one : many ?? one + 's');

// "clusterType" -> "Cluster type", "createGroup" -> "Create project"
const CALLED = { group: 'project', groups: 'projects', org: 'organization', orgs: 'organizations' }; // names in the console
export function words(name) {
  const text = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' ').split(' ')
    .map((w) => (/^[A-Z0-9]{2,}s?$/.test(w) ? w : CALLED[w.toLowerCase()] ?? w.toLowerCase())).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Decodes a part of a path. Invalid encodings stay unchanged.
export function decode(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });

// Calls f about every second with the remaining seconds, until none are left or the element is no longer in the page.
export function countdown(element, until, f) {
  const turn = () => {
    const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
    f(left);
    if (left > 0) setTimeout(() => { if (element.isConnected) turn(); }, 500);
  };
  turn();
}
