// jest. Run: npx jest
const { open } = require('svcapi');

let svc;
beforeAll(async () => { svc = await open({ clock: '2030-01-01T00:00:00Z', seed: 1 }); });
beforeEach(() => svc.reset());
afterAll(() => svc.close());

test('code that uses the global fetch is tested as it is', async () => {
  const undo = svc.install();
  const answer = await fetch(`${svc.url}/api/svc/v2/orgs`, { headers: { Authorization: `Bearer ${svc.token()}` } });
  undo();
  expect((await answer.json()).totalCount).toBe(1);
});

test('the journal shows what the client sent', async () => {
  await svc.fetch('/api/svc/v2/groups?pageNum=2', { headers: { Authorization: `Bearer ${svc.token()}` } });
  expect(svc.journal().at(-1)).toMatchObject({ method: 'GET', operation: 'listGroups', status: 200 });
});
