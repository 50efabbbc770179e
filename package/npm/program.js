// Finds svcd: SVCD names the program, or it is in the package for this platform (svcapi-linux-x64, svcapi-linux-arm64), or in the PATH.
//
// The rule: the package never starts itself. Its own command is also called svcd, and npm puts it first in the PATH of scripts.
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const MARK = 'SVCAPI_NPM_SVCD'; // set for what bin/svcd.js starts

// The first bytes of a file, as text. A script that cannot be read cannot be run either.
function beginning(file) {
  let fd;
  try {
    fd = openSync(file, 'r');
    const bytes = new Uint8Array(8192);
    return new TextDecoder('latin1').decode(bytes.subarray(0, readSync(fd, bytes)));
  } catch {
    return '';
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

// Whether a file is the command of this package, or of a copy of it: a link to it, or a script that package managers write in its place.
function isWrapper(file) {
  const real = realpathSync(file), own = realpathSync(dirname(fileURLToPath(import.meta.url)));
  if (real.startsWith(own + sep) || basename(real) === 'svcd.js') return true;
  const text = beginning(real);
  return text.startsWith('#!') && text.includes('svcd.js');
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

// Returns the path of svcd.
export function program() {
  const named = process.env.SVCD;
  if (named) {
    if (!isProgram(named)) throw new Error(`${named} is not a program (the environment variable SVCD names it)`);
    if (isWrapper(named)) throw new Error(`${named} is the command of the npm package, which needs svcd itself: set SVCD to the path of svcd`);
    return resolve(named);
  }
  try {
    return createRequire(import.meta.url).resolve(`svcapi-${process.platform}-${process.arch}/svcd`);
  } catch { /* no such package: look further */ }
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => resolve(folder, 'svcd')).find((file) => isProgram(file) && !isWrapper(file));
  if (found) return found;
  throw new Error(`there is no svcd for ${process.platform} ${process.arch}: install it, and put it on the PATH or into SVCD; or use open() of "svcapi", which needs none`);
}

// Starts svcd for bin/svcd.js, with its arguments. Only `serve` gets a pipe as its standard input: the other verbs end by themselves.
export function run(args) {
  if (process.env[MARK]) throw new Error('the command svcd of the npm package has started itself: set SVCD to the path of svcd, and not to a script that runs this command');
  const serves = (args[0] === undefined || args[0] === 'serve' || args[0].startsWith('-')) && !args.some((a) => ['-h', '--help', '--version', '--end-with-stdin'].includes(a));
  return spawn(program(), serves ? [...(args[0] === 'serve' ? args : ['serve', ...args]), '--end-with-stdin'] : args,
    { stdio: [serves ? 'pipe' : 'inherit', 'inherit', 'inherit'], env: { ...process.env, [MARK]: '1' } });
}

