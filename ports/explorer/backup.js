// The "Backup" tab of a cluster: its snapshots on a timeline with a lane per frequency, their retention, its restore jobs, and the schedule in words.

import { el, muted, plural, put, sheet } from './dom.js';
import { asked } from './entity.js';
import { list, problem, selfOf } from './view.js';
import { bytes, resultsOf, stamp } from './format.js';
import { dataFold, lanes, toggle } from './chart.js';

const DAY = 864e5, RANGES = [['7 days', 7], ['30 days', 30], ['1 year', 366]];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'], MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const ORDER = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'];

// A policy item: "Every 6 hours, kept for 7 days".
const EVERY = { hourly: (n) => (n === 1 ? 'Every hour' : 'Every ' + n + ' hours'), daily: (n) => (n > 1 ? 'Every ' + n + ' days' : 'Every day'), weekly: (n) => 'Every ' + (DAYS[n - 1] ?? 'week'),
  monthly: (n) => (n === 40 ? 'On the last day of every month' : 'On day ' + n + ' of every month'), yearly: (n) => 'Every year in ' + (MONTHS[n - 1] ?? 'month ' + n) };
const inWords = (i) => (EVERY[i.frequencyType]?.(i.frequencyInterval) ?? i.frequencyType + ' ' + i.frequencyInterval) + (i.retentionValue ? ', kept for ' + plural(i.retentionValue, String(i.retentionUnit).replace(/s$/, '')) : '');

function schedule(a) {
  const s = a?.body, items = (Array.isArray(s?.policies) ? s.policies : []).flatMap((p) => (Array.isArray(p?.policyItems) ? p.policyItems : [])), two = (n) => String(n).padStart(2, '0');
  if (!a?.ok) return null;
  return el('section', { class: 'card part' }, el('h2', {}, 'Schedule'), items.length ? el('ul', {}, items.map((i) => el('li', {}, inWords(i)))) : el('p', { class: 'muted' }, 'The schedule has no policy: snapshots are taken on demand only.'),
    el('p', {}, typeof s.referenceHourOfDay === 'number' ? 'Counted from ' + two(s.referenceHourOfDay) + ':' + two(s.referenceMinuteOfHour ?? 0) + ' UTC. ' : '', s.nextSnapshot ? ['Next snapshot: ', el('strong', {}, stamp(Date.parse(s.nextSnapshot))), '. '] : null, el('a', { href: '#' + a.path }, 'The schedule')));
}

export async function open(place, x) {
  await sheet('charts.css');
  const of = { groupId: x.params.groupId, clusterName: x.params.clusterName }, [snaps, plan, jobs] = await Promise.all([asked('listBackupSnapshots', of, 'itemsPerPage=500'), asked('getBackupSchedule', of), asked('listBackupRestoreJobs', of, 'itemsPerPage=100')]);
  if (!snaps?.ok) { put(place, problem(snaps, { template: snaps.op.template }), schedule(plan)); return; }
  const all = resultsOf(snaps).map((s) => ({ ...s, at: Date.parse(s.createdAt), until: Date.parse(s.expiresAt) })).filter((s) => s.at > 0), restores = resultsOf(jobs).map((j) => ({ ...j, at: Date.parse(j.createdAt ?? j.timestamp) })).filter((j) => j.at > 0);
  // The answers have no time of the service: the timeline ends at the newest entry, or at the next snapshot if it is known.
  const last = Math.max(0, ...all.map((s) => s.at), ...restores.map((j) => j.at)), next = Date.parse(plan?.body?.nextSnapshot), data = dataFold(() => table());
  if (!all.length && !restores.length) { put(place, el('p', { class: 'empty' }, 'This cluster has no snapshot yet.'), schedule(plan)); return; }
  const most = Math.max(1, ...all.map((s) => s.storageSizeBytes || 0)), kindOf = (s) => (s.frequencyType ? s.frequencyType : s.snapshotType === 'onDemand' ? 'on demand' : s.snapshotType ?? 'snapshot');
  const kinds = [...new Set(all.map(kindOf))].sort((a, b) => (ORDER.indexOf(a) + 1 || 9) - (ORDER.indexOf(b) + 1 || 9));
  const label = (s) => [kindOf(s), 'snapshot of', stamp(s.at) + ':', s.status, s.storageSizeBytes ? ', ' + bytes(s.storageSizeBytes) : '', s.until ? ', kept until ' + stamp(s.until) : ''].filter(Boolean).join(' ').replace(/ ,/g, ',');
  const rows = [...kinds.map((k) => ({ name: k, dots: all.filter((s) => kindOf(s) === k).map((s) => ({ at: s.at, until: s.until, label: label(s), href: selfOf(s), kind: /fail/i.test(s.status) ? 'bad' : /progress|queued/i.test(s.status) ? 'busy' : '', size: 3.5 + 3 * Math.sqrt((s.storageSizeBytes || 0) / most) })) })),
    ...(restores.length ? [{ name: 'restores', dots: restores.map((j) => ({ at: j.at, until: Date.parse(j.finishedAt) || 0, label: 'Restore to ' + (j.targetClusterName ?? 'a download') + ', ' + stamp(j.at), href: selfOf(j), kind: j.failed ? 'bad' : '' })) }] : []),
    ...(next > last ? [{ name: 'next', dots: [{ at: next, label: 'Next snapshot, ' + stamp(next), kind: 'busy' }] }] : [])];
  let range = 1;
  const set = () => { const span = RANGES[range][1] * DAY, to = Math.max(last, next || 0) + span * 0.03; return { label: plural(all.length, 'snapshot') + (restores.length ? ', ' + plural(restores.length, 'restore job') : ''), from: last - span, to, now: last, rows }; };
  const line = lanes(set()), table = () => { const place_ = el('div', {}), draw = () => put(place_, list({ results: resultsOf(snaps), totalCount: snaps.body.totalCount }, snaps.path, snaps.op, draw)); draw(); return place_; };
  line.node.append(data.fold);
  put(place, el('div', { class: 'row picker' }, toggle('Range', RANGES.map(([name]) => name), range, (i) => { range = i; line.update(set()); }), muted('A dot is a snapshot, larger for more data; its line lasts until it expires.')), line.node, schedule(plan),
    restores.length ? el('section', { class: 'card part' }, el('h2', {}, 'Restore jobs'), el('ul', {}, restores.map((j) => { const to = selfOf(j), text = stamp(j.at) + ' to ' + (j.targetClusterName ?? 'a download'); return el('li', {}, to ? el('a', { href: '#' + to }, text) : text); }))) : null,
    el('p', {}, el('a', { class: 'button', href: '#' + snaps.path }, 'All snapshots'), ' ', jobs?.ok ? el('a', { class: 'button', href: '#' + jobs.path }, 'All restore jobs') : null));
}
