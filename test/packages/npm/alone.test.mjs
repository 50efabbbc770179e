// The main archive alone, as the documentation has users install it: this folder has no package with svcd, and its scripts have node_modules/.bin first in
// their PATH. Nothing here may start this package's own command again: a `node` that counts its starts, and refuses after a few, stands before the real one.
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import test from 'node:test';
import { open } from 'svcapi';
import { program, start } from 'svcapi/server';

const MOST = 12; // starts of node: npx, npm and a test runner need a few; a command that starts itself has no end
const bin = resolve('node_modules/.bin'), folder = resolve('counted'), count = join(folder, 'count');
const none = /there is no svcd for \S+ \S+: install it/;

function script(file, text) {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
script(join(folder, 'node'), `#!/bin/sh\necho start >>'${count}'\n[ "$(wc -l <'${count}')" -le ${MOST} ] || exit 99\nexec '${process.execPath}' "$@"\n`);
// The system's folders without a svcd in them: what this machine has installed is no part of the test.
const system = process.env.PATH.split(delimiter).filter((at) => at !== bin && spawnSync('test', ['-e', join(at, 'svcd')]).status !== 0);

// Runs a command with `before` in front of the PATH. Returns its status, output and the number of starts of node.
function ran(command, args, { before = [bin], env = {} } = {}) {
  writeFileSync(count, '');
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_TEST|SVC)/.test(name)));
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 120000,
    env: { ...clean, PATH: [...before, folder, ...system].join(delimiter), npm_config_update_notifier: 'false', ...env } });
  return { status, text: stdout + stderr, starts: readFileSync(count, 'utf8').split('\n').length - 1 };
}
const fails = (answer, pattern) => {
  assert.match(answer.text, pattern);
  assert.ok(answer.status !== 0 && answer.starts <= MOST, `status ${answer.status}, ${answer.starts} starts: ${answer.text}`);
};

test('the package names no other package', () => {
  const about = JSON.parse(readFileSync('node_modules/svcapi/package.json'));
  for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies', 'scripts']) assert.equal(about[kind], undefined, kind);
});

test('npx svcd: an error at once, and no further process', () => {
  fails(ran('npx', ['--no', '--', 'svcd', 'version']), none);
  fails(ran('npx', ['--no', '--', 'svcd', '--help']), none);
  fails(ran(join(bin, 'svcd'), ['version']), none);
});

test('npm test with start(): an error at once, and no further process', () => {
  writeFileSync('started.mjs', "import { start } from 'svcapi/server';\nawait start();\n");
  fails(ran('npm', ['test']), none);
});

test('a link to the command, a copy of it, and the scripts of package managers are not svcd', () => {
  const command = resolve('node_modules/svcapi/bin/svcd.js');
  const shapes = {
    link: (file) => symlinkSync(command, file),
    copy: (file) => { copyFileSync(command, file); chmodSync(file, 0o755); },
    shell: (file) => script(file, `#!/bin/sh\nexec node "${command}" "$@"\n`),
    folder: (file) => mkdirSync(file),
    text: (file) => writeFileSync(file, 'no program'),
  };
  for (const [name, make] of Object.entries(shapes)) {
    const at = join(folder, name);
    mkdirSync(at);
    make(join(at, 'svcd'));
    fails(ran(join(bin, 'svcd'), ['version'], { before: [at, bin] }), none);
  }
  const real = join(folder, 'real');
  mkdirSync(real);
  script(join(real, 'svcd'), '#!/bin/sh\necho "svcd of the machine: $*"\n');
  const answer = ran(join(bin, 'svcd'), ['version'], { before: [join(folder, 'link'), bin, real] });
  assert.deepEqual([answer.status, answer.text], [0, 'svcd of the machine: version\n']);
});

test('SVCD must be svcd', () => {
  fails(ran(join(bin, 'svcd'), ['version'], { env: { SVCD: join(bin, 'svcd') } }), /is the command of the npm package.*set SVCD to the path of svcd/);
  fails(ran(join(bin, 'svcd'), ['version'], { env: { SVCD: '/nowhere/svcd' } }), /\/nowhere\/svcd is not a program \(the environment variable SVCD names it\)/);
});

test("a user's script that runs the command: the second start is refused", () => {
  const file = join(folder, 'mine');
  script(file, `#!/bin/sh\nexec npx --no -- svcd "$@"\n`);
  fails(ran(join(bin, 'svcd'), ['version'], { env: { SVCD: file } }), /has started itself: set SVCD to the path of svcd/);
});

test('program() and start() in this process', async () => {
  const { PATH, SVCD } = process.env;
  delete process.env.SVCD;
  process.env.PATH = [bin, folder, ...system].join(delimiter);
  writeFileSync(count, '');
  try {
    assert.throws(() => program(), none);
    await assert.rejects(start(), none);
    assert.equal(readFileSync(count, 'utf8'), '');
  } finally {
    process.env.PATH = PATH;
    if (SVCD !== undefined) process.env.SVCD = SVCD;
  }
});

test('open() needs no svcd', { skip: spawnSync('test', ['-s', 'node_modules/svcapi/svcapi.wasm']).status !== 0 }, async () => {
  (await open({ seed: 1 })).close();
});
