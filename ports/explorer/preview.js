// The request that a form is about to send: as JSON and as code, and for an update, the changes. Secrets are blanked until the user asks to see them.

import { el, newId, put } from './dom.js';
import { block, examples } from './code.js';
import { isObject } from './format.js';
import { canon, SECRET } from './form.js';

const BLANK = '\u2022'.repeat(8);
const blanked = (v, key = '') => (typeof v === 'string' && v !== '' && SECRET.test(key) ? BLANK : Array.isArray(v) ? v.map((x) => blanked(x, key)) : isObject(v) ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, blanked(x, k)])) : v);

let chosen = 'JSON'; // also applies to the next form

// urlOf(query): of the call; token: the URL that issues one.
export function previewPart(op, urlOf, token) {
  const id = newId('preview'), place = el('div', { role: 'tabpanel', id: id + '-panel', 'aria-labelledby': id + '-tab' }), bar = el('div', { role: 'tablist', class: 'tablist', 'aria-label': 'What is sent' });
  const see = el('button', { type: 'button', class: 'small', 'aria-pressed': 'false', hidden: true, onclick: () => { isSeen = !isSeen; see.setAttribute('aria-pressed', String(isSeen)); see.textContent = isSeen ? 'Hide secrets' : 'Show secrets'; draw(); } }, 'Show secrets');
  let state = {}, isSeen = false, shown = '';
  const texts = () => {
    const body = isSeen ? state.body : blanked(state.body);
    return [...(op.schema ? [['JSON', body === undefined ? '' : JSON.stringify(body, null, 2)]] : []), ...examples(urlOf(state.query), token, op.accept, { method: op.method, body }).filter(([name]) => name !== 'Go')];
  };
  function draw(focus) {
    const all = texts(), at = Math.max(0, all.findIndex(([name]) => name === chosen)), key = canon([all[at], at]);
    if (key === shown) return;
    shown = key;
    const go = (i) => { chosen = all[(i + all.length) % all.length][0]; draw(true); };
    put(bar, all.map(([name], i) => el('button', { type: 'button', role: 'tab', id: i === at ? id + '-tab' : null, 'aria-controls': id + '-panel', 'aria-selected': String(i === at), tabindex: i === at ? 0 : -1, onclick: () => go(i),
      onkeydown: (e) => { const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]; if (step) { e.preventDefault(); go(i + step); } } }, name)));
    put(place, block(all[at][1], all[at][0] === 'JSON' ? 'JSON' : all[at][0] + ' code'));
    if (focus) bar.children[at].focus();
  }
  return { node: el('section', { class: 'preview', 'aria-label': 'Preview' }, el('div', { class: 'row between' }, el('h2', {}, 'Preview'), see), bar, place), update(next) {
    if (next.isBroken) return;
    state = next;
    see.hidden = canon(blanked(state.body)) === canon(state.body);
    draw();
  } };
}

// ---- changes

const textOf = (v) => (v === undefined || v === null ? 'not set' : typeof v === 'string' ? (v === '' ? 'empty' : v) : typeof v === 'boolean' ? (v ? 'on' : 'off') : JSON.stringify(v));

// [path, old, new] of each value that differs. Lists of equal length are compared element by element, others as a whole.
export function differences(was, now, path = '') {
  if (canon(was) === canon(now)) return [];
  const both = (f) => f(was) && f(now), isList = both(Array.isArray) && was.length === now.length && was.every(isObject);
  if (isList) return was.flatMap((v, i) => differences(v, now[i], path + '[' + i + ']'));
  if (both((v) => isObject(v) && !Array.isArray(v))) return [...new Set([...Object.keys(was), ...Object.keys(now)])].flatMap((k) => differences(was[k], now[k], path ? path + '.' + k : k));
  return [typeof now === 'string' && SECRET.test(path) ? [path, was === undefined ? undefined : BLANK, BLANK] : [path, was, now]];
}

export function changesPart() {
  const place = el('div', {}), node = el('section', { class: 'changes', 'aria-label': 'What will change' }, el('h2', {}, 'What will change'), place);
  return { node, update({ was, now, isBroken }) {
    if (isBroken) return;
    const all = differences(was ?? {}, now ?? {});
    put(place, all.length ? el('ul', {}, all.map(([path, a, b]) => el('li', {}, el('code', {}, path), ' ', el('del', {}, textOf(a)), ' → ', el('ins', {}, textOf(b))))) : el('p', { class: 'muted' }, 'Nothing yet.'));
  } };
}
