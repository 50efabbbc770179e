// The "Cost" tab of an organization or a cluster: the cost of each day of an invoice, stacked by cluster or by SKU, and the clusters in the order of their
// cost. The numbers are the invoice's line items. There is no forecast, because the service has none.

import { el, muted, plural, put, sheet } from './dom.js';
import { asked } from './entity.js';
import { problem } from './view.js';
import { day, isObject, measure, money, resultsOf } from './format.js';
import { chart, choice, toggle } from './chart.js';
import { fill, opNamed } from './spec.js';

const DAY = 864e5, MOST = 7; // series; the others are added up into one
const itemsOf = (bill, only) => (Array.isArray(bill?.lineItems) ? bill.lineItems : []).filter((i) => isObject(i) && (!only || (i.groupId === only.groupId && i.clusterName === only.clusterName)));
const onlyOf = (x) => (x.params.groupId ? { groupId: x.params.groupId, clusterName: x.params.clusterName ?? x.params.name } : null);
const sum = (items) => items.reduce((n, i) => n + (Number(i.totalPriceCents) || 0), 0);
const BY = { cluster: (i) => (i.clusterName ? (i.groupName ? i.groupName + ' / ' : '') + i.clusterName : i.groupName ?? 'Organization'), SKU: (i) => String(i.sku ?? 'other') };

function grouped(items, by) {
  const all = new Map();
  for (const i of items) { const key = BY[by](i); all.set(key, [...(all.get(key) ?? []), i]); }
  return [...all].map(([name, list]) => ({ name, list, cents: sum(list) })).sort((a, b) => b.cents - a.cents);
}

// An item belongs to the day on which it begins.
function daily(bill, items, by) {
  const from = Date.parse(bill.startDate), to = Date.parse(bill.endDate), days = [];
  for (let t = from; t < to && days.length < 400; t += DAY) days.push(t);
  const groups = grouped(items, by), shown = groups.length > MOST + 1 ? [...groups.slice(0, MOST), { name: 'Others', list: groups.slice(MOST).flatMap((g) => g.list) }] : groups;
  return { label: 'Cost by day', unit: 'CENTS', from, to, step: DAY, note: 'total ' + money(sum(items)), empty: 'Nothing has been billed from ' + day(bill.startDate) + ' to ' + day(bill.endDate) + ' yet.',
    series: shown.map((g) => { const cents = new Map(); for (const i of g.list) { const t = from + Math.floor((Date.parse(i.startDate) - from) / DAY) * DAY; cents.set(t, (cents.get(t) ?? 0) + (Number(i.totalPriceCents) || 0)); } return { name: g.name, points: days.map((t) => [t, cents.get(t) ?? (items.length ? 0 : null)]) }; }) };
}

const pendingOf = async (x) => { const a = await x.once('listInvoicePending', { orgId: x.params.orgId }); return (Array.isArray(a?.body?.results) ? a.body.results : [a?.body]).filter(isObject)[0]; };

// For the overview of a cluster.
export async function monthPart(x) {
  const bill = await pendingOf(x);
  if (!Array.isArray(bill?.lineItems) || !bill.startDate) return null;
  return chart('bars', { ...daily(bill, itemsOf(bill, onlyOf(x)), 'SKU'), label: 'Cost this month by day', height: 150 }).node;
}

function ranking(items, by, linked) {
  const groups = grouped(items, by), most = groups[0]?.cents || 1, whole = sum(items) || 1;
  return el('table', { class: 'list ranking', 'aria-label': 'Cost by ' + by }, el('thead', {}, el('tr', {}, [by === 'SKU' ? 'SKU' : 'Cluster', 'Share', 'Cost'].map((h, i) => el('th', { scope: 'col', class: i === 2 ? 'number' : null }, h)))),
    el('tbody', {}, groups.map((g) => { const to = by === 'cluster' && linked(g.list[0]), bar = el('span', { class: 'share' }); bar.style.width = Math.max(0.5, 100 * g.cents / most) + '%';
      return el('tr', {}, el('th', { scope: 'row' }, to ? el('a', { href: '#' + to }, g.name) : g.name), el('td', {}, el('span', { class: 'track' }, bar), el('small', { class: 'muted' }, measure(100 * g.cents / whole, 'PERCENT'))), el('td', { class: 'number' }, money(g.cents))); })));
}

export async function open(place, x) {
  await sheet('charts.css');
  const { orgId } = x.params, only = onlyOf(x), pending = await pendingOf(x), answer = await asked('listInvoices', { orgId }, 'itemsPerPage=100'), bills = resultsOf(answer).filter((b) => typeof b.id === 'string');
  if (!pending && !answer?.ok) { put(place, problem(answer ?? { status: 404, headers: new Headers() })); return; }
  const all = [...(pending && !bills.some((b) => b.id === pending.id) ? [pending] : []), ...bills], known = new Map(pending ? [[pending.id, pending]] : []), stacks = Object.keys(BY);
  let by = only ? 'SKU' : 'cluster', at = (pending && itemsOf(pending, only).length ? pending : all.find((b) => b !== pending && b.id !== pending?.id && b.amountBilledCents > 0) ?? pending ?? all[0])?.id, turn = 0;
  if (!at) { put(place, el('p', { class: 'empty' }, 'There is no invoice yet.')); return; }
  const inside = el('div', {}), total = el('span', { class: 'big' }), linked = (i) => (i.groupId && i.clusterName && opNamed('getCluster') ? fill(opNamed('getCluster').template, i) : null);
  async function draw() {
    const mine = ++turn;
    if (!known.has(at)) {
      const a = await asked('getInvoice', { orgId, invoiceId: at });
      if (mine !== turn) return;
      if (!a?.ok) { put(inside, problem(a, { template: a.op.template, retry: draw })); return; }
      known.set(at, a.body);
    }
    const bill = known.get(at), items = itemsOf(bill, only), set = daily(bill, items, by);
    put(total, money(sum(items)));
    if (!Array.isArray(bill.lineItems)) { put(inside, el('p', { class: 'empty' }, 'This invoice has no line items.')); return; }
    put(inside, chart('bars', { ...set, note: '', height: 240 }).node, items.length ? [el('h2', {}, 'By ' + by), el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Cost by ' + by }, ranking(items, by, linked))] : null, el('p', {}, el('a', { class: 'button', href: '#' + fill(opNamed('getInvoice').template, { orgId, invoiceId: at }) }, 'The invoice'), ' ', muted(plural(items.length, 'line item'))));
  }
  put(place, el('div', { class: 'row picker' }, choice('Period', all.map((b) => [b.id, day(b.startDate) + ' to ' + day(b.endDate) + (b.id === pending?.id ? ' (this month so far)' : '')]), at, (v) => { at = v; draw(); }),
    toggle('Stacked by', stacks.map((k) => 'By ' + k), stacks.indexOf(by), (i) => { by = stacks[i]; draw(); }), el('span', { class: 'choice sum' }, muted('Total'), total)), inside);
  await draw();
}
