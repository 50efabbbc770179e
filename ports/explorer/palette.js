// Ctrl-K (⌘-K): one box that finds pages, operations and resources seen before. It searches only what the page already knows. An operation is offered if the
// current location provides all parameters of its path.

import { $, el, newId, put, words } from './dom.js';
import { spec, fill } from './spec.js';
import { areaOf } from './areas.js';
import * as nav from './nav.js';
import { seen } from './view.js';

const MOST = 40; // results shown
let all = [], found = [], at = 0;

// known: values of parameters.
function gather(known) {
  const pages = nav.pages().map((p) => ({ kind: 'Page', text: p.label, note: [p.area, p.inside].filter(Boolean).join(', '), to: p.to }));
  const ops = spec.ops.filter((op) => op.method !== 'GET' && !op.deprecated && op.names.every((n) => known[n]))
    .map((op) => ({ kind: 'Operation', text: words(op.id), note: areaOf(op), to: fill(op.template, known) + '!' + op.id, more: op.id }));
  const entities = [...seen].map(([to, { title, kind }]) => ({ kind: 'Seen', text: title, note: kind, to }));
  return [...entities, ...pages, ...ops].map((i) => ({ ...i, hay: [i.text, i.note, i.more ?? '', i.kind].join(' ').toLowerCase() }));
}

// Every word must match. A text that begins with the input comes first, then one that has it at the start of a word.
export function search(items, text) {
  const typed = text.trim().toLowerCase(), parts = typed.split(/\s+/).filter(Boolean);
  const rank = (i) => { const t = i.text.toLowerCase(); return t === typed ? 0 : t.startsWith(typed) ? 1 : t.includes(' ' + typed) ? 2 : t.includes(typed) ? 3 : 4; };
  return items.filter((i) => parts.every((w) => i.hay.includes(w))).map((i, n) => ({ i, n, r: typed ? rank(i) : 0 })).sort((a, b) => a.r - b.r || a.n - b.n).slice(0, MOST).map((x) => x.i);
}

function mark(to) {
  const options = [...$('find-list').children];
  at = found.length ? (to + found.length) % found.length : 0;
  options.forEach((o, i) => o.setAttribute('aria-selected', String(i === at)));
  if (options[at] && found.length) { $('find-text').setAttribute('aria-activedescendant', options[at].id); options[at].scrollIntoView({ block: 'nearest' }); } else $('find-text').removeAttribute('aria-activedescendant');
}

function draw() {
  found = search(all, $('find-text').value);
  put($('find-list'), found.map((i, n) => el('li', { role: 'option', id: newId('found'), onclick: () => choose(n) }, el('span', { class: 'what' }, i.text), el('span', { class: 'muted' }, [i.kind, i.note].filter(Boolean).join(' · ')))));
  $('find-none').hidden = found.length > 0;
  mark(0);
}

function choose(n) {
  const to = found[n]?.to;
  $('find').close();
  if (to) location.hash = to;
}

export function open(known) {
  if (document.querySelector('dialog[open]')) return;
  all = gather(known);
  $('find-text').value = '';
  draw();
  $('find').showModal();
  $('find-text').focus();
}

export function forget() {
  all = found = [];
  $('find').close();
  put($('find-list'));
}

// context(): the known parameters; undefined while nobody is signed in.
export function start(context) {
  const turn = () => { const known = context(); if (known) open(known); };
  $('find-open').addEventListener('click', turn);
  addEventListener('keydown', (e) => {
    if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey) return;
    e.preventDefault();
    if ($('find').open) $('find').close(); else turn();
  });
  $('find-text').addEventListener('input', draw);
  $('find-text').addEventListener('keydown', (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) { e.preventDefault(); mark(at + step); }
    if (e.key === 'Enter') { e.preventDefault(); choose(at); }
  });
  $('find').addEventListener('click', (e) => { if (e.target === $('find')) $('find').close(); }); // a click outside of the box
}
