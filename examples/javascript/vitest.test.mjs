// vitest. Run: npx vitest run
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { open } from 'svcapi';

let svc;
beforeAll(async () => { svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1 }); });
beforeEach(() => svc.reset());
afterAll(() => svc.close());

const headers = () => ({ Authorization: `Bearer ${svc.token()}` });

test('a client that retries survives two 503', async () => {
  svc.faults.add({ operation: 'listGroups', status: 503, count: 2 });
  const statuses = [];
  do statuses.push((await svc.fetch('/api/svc/v2/groups', { headers: headers() })).status); while (statuses.at(-1) === 503);
  expect(statuses).toEqual([503, 503, 200]);
});

test('a lost answer is a network error', async () => {
  svc.faults.add({ operation: 'listGroups', drop: 'after', count: 1 });
  await expect(svc.fetch('/api/svc/v2/groups', { headers: headers() })).rejects.toThrow('fetch failed');
});
