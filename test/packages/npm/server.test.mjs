// svcd never outlives its user, whatever ends it, and leaves no file behind. SVCD names the svcd to use; otherwise it is that of the installed packages.
import assert from 'node:assert';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { program, start } from 'svcapi/server';

const svcd = program(), folder = resolve('started'), left = () => readdirSync(folder).filter((n) => n.startsWith('svcapi-'));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
process.env.TMPDIR = folder;

async function until(done, what) {
  for (const end = Date.now() + 60000; !await done();) {
    assert.ok(Date.now() < end, `waited in vain until ${what}`);
    await new Promise((go) => setTimeout(go, 20));
  }
}
const answers = (url) => fetch(`${url}/_svc/health`, { signal: AbortSignal.timeout(20000) }).then((a) => a.ok, () => false);
function script(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

// A user of start(): prints the URL of its svcd, and then does `more`.
function user(more, command = [process.execPath]) {
  writeFileSync('user.mjs', `import { start } from 'svcapi/server';\nconst svcd = await start({ seed: 1 });\nconsole.log(svcd.url);\n${more}\n`);
  const child = spawn(command[0], [...command.slice(1), 'user.mjs'], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SVCD: svcd } });
  const url = new Promise((done) => { createInterface({ input: child.stdout }).once('line', done); });
  const ended = new Promise((done) => { child.once('exit', (code, signal) => done(signal ?? code)); });
  return { child, url, ended };
}

test('killed, stopped, crashed or simply at its end: svcd ends with Node, and no file stays', async () => {
  const waits = 'setInterval(() => {}, 1000);';
  for (const [how, more, signal, expected] of [['SIGKILL', waits, 'SIGKILL', 'SIGKILL'], ['SIGTERM', waits, 'SIGTERM', 'SIGTERM'], ['SIGINT', waits, 'SIGINT', 'SIGINT'],
    ['abort', 'process.abort();', null, 'SIGABRT'], ['an error', 'throw new Error("expected by the test");', null, 1], ['its end, without stop()', '', null, 0]]) {
    const { child, url, ended } = user(more);
    const at = await url;
    if (signal) {
      assert.ok(await answers(at), `${how}: svcd answers before`);
      child.kill(signal);
    }
    assert.equal(await ended, expected, how);
    await until(async () => !await answers(at), `svcd has ended after ${how}`);
    assert.deepEqual(left(), [], how);
  }
});

test('npx svcd: svcd ends with the command', async () => {
  const command = resolve('node_modules/.bin/svcd');
  for (const verb of [['serve'], []]) {
    const child = spawn(process.execPath, [command, ...verb, '--memory', '--listen', 'http://127.0.0.1:0', '--bootstrap', join(folder, 'command.json')],
      { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, SVCD: svcd } });
    const ended = new Promise((done) => { child.once('exit', (code, signal) => done(signal ?? code)); });
    const url = await new Promise((done) => { createInterface({ input: child.stdout }).on('line', (line) => { if (line.startsWith('svcd ready on')) done(line.split(' ')[3]); }); });
    assert.ok(await answers(url));
    child.kill('SIGKILL');
    assert.equal(await ended, 'SIGKILL');
    await until(async () => !await answers(url), 'svcd has ended after SIGKILL of the command');
    rmSync(join(folder, 'command.json'));
  }
  const help = spawnSync(process.execPath, [command, '--help'], { encoding: 'utf8', env: { ...process.env, SVCD: svcd } });
  assert.equal(help.status, 0);
  assert.match(help.stdout, /serve/);
});

test('while svcd runs, no file has its credentials', async () => {
  const server = await start({ seed: 1 });
  assert.deepEqual(left(), []);
  await server.stop();
  await until(async () => !await answers(server.url), 'svcd has ended');
  await server.stop();
});

test('variables of the machine are not flags of the service', async () => {
  process.env.SVCD_VENDOR = 'acme';
  process.env.SVCD_NO_SUCH_FLAG = 'x';
  try {
    const server = await start({ seed: 1 });
    assert.equal((await fetch(`${server.url}/api/svc/v2`)).status, 401);
    await server.stop();
  } finally {
    delete process.env.SVCD_VENDOR;
    delete process.env.SVCD_NO_SUCH_FLAG;
  }
});

// After a failed start: no process, no folder, no listener on the events of this process.
test('a start that fails leaves nothing behind', async () => {
  const before = process.listenerCount('exit'), { SVCD } = process.env, pid = join(folder, 'pid');
  const shapes = {
    mute: ['echo $$ >"$PID"\nexec sleep 300', { timeoutSeconds: 1 }, /svcd did not start: svcd is not ready after 1 seconds/],
    broken: ['echo $$ >"$PID"\necho broken by the test >&2\nexit 7', {}, /svcd did not start: svcd has ended with status 7\nbroken by the test/],
    // ready, but without a file of credentials
    liar: ['echo $$ >"$PID"\necho "svcd ready on http://127.0.0.1:1"\nexec sleep 300', {}, /bootstrap\.json/],
  };
  process.env.PID = pid;
  try {
    for (const [name, [text, options, message]] of Object.entries(shapes)) {
      process.env.SVCD = script(name, `#!/bin/sh\n${text}\n`);
      await assert.rejects(start(options), message);
      await until(() => spawnSync('sh', ['-c', `! kill -0 "$(cat '${pid}')" 2>/dev/null`]).status === 0, `${name} has ended`);
      assert.deepEqual(left(), [], name);
      assert.equal(process.listenerCount('exit'), before, name);
      rmSync(pid);
    }
    process.env.SVCD = join(folder, 'gone');
    await assert.rejects(start(), /is not a program/);
    assert.deepEqual(left(), []);
  } finally {
    delete process.env.PID;
    if (SVCD === undefined) delete process.env.SVCD; else process.env.SVCD = SVCD;
  }
  await assert.rejects(start({ flags: ['--no-such-flag'] }), /svcd did not start: .*--no-such-flag: no such flag/s);
  await assert.rejects(start({ clok: 1 }), /start\(\) has no option clok/);
  await assert.rejects(start({ timeoutSeconds: 0 }), /timeoutSeconds/);
  assert.deepEqual(left(), []);
  assert.equal(process.listenerCount('exit'), before);
  assert.ok(existsSync(folder));
});
