// The Lab's faults: rules by which requests and other things fail, added by a form and watched while they strike. KINDS has, for each kind, the fields of the
// form and the body to send; svcapi.h describes the rules, at svc_fault_add_json.

import { el, plural, put } from './dom.js';
import { spec } from './spec.js';
import { isObject } from './format.js';
import { field, redraw } from './lab.js';

const number = (v) => (v === '' ? undefined : Number(v)), text = (v) => v.trim() || undefined;
const ANSWERS = [['status', 'The answer is an error'], ['before', 'The request is lost before any work'], ['after', 'The answer is lost after the work'], ['late', 'The answer is late'], ['expiredToken', '401: the token has expired'], ['staleNonce', '401: the nonce of Digest is stale']];
const NOUN = ['noun', 'Resource', { value: 'cluster', required: true }], NAME = ['name', 'Name', { placeholder: 'any' }];

// fields: [key, label, attributes, options]
const KINDS = {
  'A request': { fields: [['operation', 'Operation', { placeholder: 'every one', list: 'lab-ops' }], ['what', 'Answer', {}, ANSWERS], ['status', 'Status', {}, [['503', '503'], ['500', '500'], ['429', '429']]], ['errorCode', 'Error code', { placeholder: 'the usual one' }], ['delayMs', 'Late by (ms)', { type: 'number', min: 0, max: 3600000 }]],
    make: (v) => ({ operation: text(v.operation), status: v.what === 'status' ? Number(v.status) : undefined, errorCode: v.what === 'status' ? text(v.errorCode) : undefined, drop: v.what === 'before' || v.what === 'after' ? v.what : undefined,
      kind: v.what === 'expiredToken' || v.what === 'staleNonce' ? v.what : undefined, delayMs: number(v.delayMs) }) },
  'An order': { fields: [['order', 'Order', { value: 'cluster.create', required: true }], ['outcome', 'Outcome', {}, [['fail', 'it fails'], ['stall', 'it never ends'], ['slow', 'it is slow'], ['partial', 'it is done in part']]], ['seconds', 'Seconds more, if slow', { type: 'number', min: 1 }], ['reason', 'Reason', {}]],
    make: (v) => ({ order: text(v.order), outcome: v.outcome, seconds: v.outcome === 'slow' ? number(v.seconds) : undefined, reason: text(v.reason) }) },
  'A state that never ends': { fields: [NOUN, ['value', 'State', { value: 'UPDATING', required: true }], NAME], make: (v) => ({ state: { noun: text(v.noun), value: text(v.value), name: text(v.name) } }) },
  'A change that shows later': { fields: [NOUN, ['seconds', 'Seconds', { type: 'number', min: 1, value: 3, required: true }], NAME], make: (v) => ({ later: { noun: text(v.noun), seconds: number(v.seconds), name: text(v.name) } }) },
  'A host that goes down': { fields: [['cluster', 'Cluster', { required: true }], ['index', 'Host (from 0)', { type: 'number', min: 0, value: 0, required: true }], ['inSeconds', 'In seconds', { type: 'number', min: 0, value: 60, required: true }], ['forSeconds', 'For seconds', { type: 'number', min: 1, placeholder: 'for good' }], ['everySeconds', 'Every seconds', { type: 'number', min: 1, placeholder: 'once' }]],
    make: (v) => ({ host: { cluster: text(v.cluster), index: number(v.index) }, inSeconds: number(v.inSeconds), forSeconds: number(v.forSeconds), everySeconds: number(v.everySeconds) }) },
  'Reads that lag': { fields: [NOUN, ['ms', 'Behind by (ms)', { type: 'number', min: 1, value: 500 }], ['reads', 'Or by reads', { type: 'number', min: 1 }]], make: (v) => ({ lag: { noun: text(v.noun), ...(v.reads ? { reads: number(v.reads) } : { ms: number(v.ms) }) } }) },
};
const COMMON = [['count', 'How often', { type: 'number', min: 1, placeholder: 'without end' }], ['chance', 'Chance (%)', { type: 'number', min: 1, max: 100, value: 100, required: true }]];

// The rest of a rule, without what the other columns show.
function told(rule) {
  const { id, count, struck, chance, drop, kind, errorCode, status, delayMs, operation, ...rest } = rule;
  if ('operation' in rule) return [el('strong', {}, operation ?? 'Every operation'), ' ' + [kind !== 'answer' && kind, status && String(status), errorCode, drop !== 'none' && 'answer lost ' + drop + ' the change', delayMs && delayMs + ' ms late'].filter(Boolean).join(', ')];
  const flat = (o) => Object.entries(o).filter(([, v]) => v !== null).map(([k, v]) => (isObject(v) ? flat(v) : k + ' ' + v)).join(', ');
  return [el('strong', {}, Object.keys(rest).find((k) => ['order', 'state', 'later', 'host', 'lag'].includes(k)) ?? 'rule'), ' ' + flat(rest)];
}

export function open(place, lab) {
  const table = el('div', {}), more = el('div', { class: 'lab-fields' }), gone = new Map(), removed = new Set();
  let rules = [], before = new Map(), inputs = {};
  const kind = field('What fails', {}, Object.keys(KINDS).map((k) => el('option', {}, k)));
  const drawFields = () => {
    inputs = {};
    put(more, [...KINDS[kind.input.value].fields, ...COMMON].map(([key, label, set, options]) => {
      const f = field(label, set, ...(options ? [options.map(([value, word]) => el('option', { value }, word))] : []));
      inputs[key] = f.input;
      return f.node;
    }));
  };
  kind.input.addEventListener('change', drawFields);
  drawFields();
  const add = async (e) => {
    e.preventDefault();
    const v = Object.fromEntries(Object.entries(inputs).map(([k, i]) => [k, i.value])), chance = Number(v.chance) / 100;
    const a = await lab.act('POST', 'faults', { ...KINDS[kind.input.value].make(v), count: number(v.count), chance: chance < 1 ? chance : undefined }, { done: 'The fault was added.' });
    if (a.ok) list.now();
  };
  const remove = async (id) => {
    for (const r of rules) if (!id || r.id === id) removed.add(r.id);
    const a = await lab.act('DELETE', id ? 'faults/' + id : 'faults', undefined, { done: id ? 'The fault was removed.' : 'All faults were removed.' });
    if (!id && a.ok) gone.clear();
    list.now();
  };
  const draw = () => {
    const rows = [...rules, ...gone.values()].sort((a, b) => a.id - b.id), fresh = new Set(rules.filter((r) => before.has(r.id) && before.get(r.id) < r.struck).map((r) => r.id));
    redraw(table, rows.length === 0 ? el('p', { class: 'empty' }, 'There are no faults: the service works normally.') : [
      el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Faults' }, el('table', { class: 'list lab-table' },
        el('thead', {}, el('tr', {}, ['Id', 'Rule', 'Chance', 'Struck', ''].map((h) => el('th', { scope: 'col' }, h || el('span', { class: 'off' }, 'Actions'))))),
        el('tbody', {}, rows.map((r) => el('tr', { class: gone.has(r.id) ? 'lab-gone' : '' }, el('td', {}, String(r.id)), el('td', {}, told(r)), el('td', {}, Math.round(100 * r.chance) + ' %'),
          el('td', { class: fresh.has(r.id) ? 'lab-hit' : '' }, gone.has(r.id) ? 'used up, or removed elsewhere' : r.count ? r.struck + ' of ' + r.count : plural(r.struck, 'time')),
          el('td', {}, gone.has(r.id) ? null : el('button', { type: 'button', class: 'small danger', 'data-f': 'remove ' + r.id, 'aria-label': 'Remove fault ' + r.id, onclick: () => remove(r.id) }, 'Remove'))))))),
      el('div', { class: 'row' }, el('button', { type: 'button', class: 'danger', 'data-f': 'all', onclick: () => remove(0) }, 'Remove all'))]);
  };
  put(place, el('form', { class: 'card', onsubmit: add, 'aria-labelledby': 'lab-new' }, el('h2', { id: 'lab-new' }, 'New fault'), kind.node, more, el('button', { class: 'primary', 'data-f': 'add' }, 'Add the fault')),
    el('datalist', { id: 'lab-ops' }, spec.ops.map((op) => el('option', { value: op.id }))), el('h2', {}, 'Faults'), table);
  const list = lab.poll(() => 'faults', (all) => {
    if (!Array.isArray(all)) return;
    before = new Map(rules.map((r) => [r.id, r.struck]));
    for (const r of rules) if (!all.some((x) => x.id === r.id) && !removed.has(r.id)) gone.set(r.id, r);
    rules = all;
    draw();
  }, 1000, 5000);
}
