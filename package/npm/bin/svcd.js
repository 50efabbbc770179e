#!/usr/bin/env node
// svcd.js: the command of the npm package, which runs the svcd of this machine with the same arguments, output and status. program.js finds other files
// that are this command by its name.
import { constants } from 'node:os';
import { run } from '../program.js';

try {
  const child = run(process.argv.slice(2));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => { console.error(`svcd: ${error.message}`); process.exitCode = 1; });
  child.on('exit', (code, signal) => { process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0); child.stdin?.destroy(); });
} catch (error) {
  console.error(`svcd: ${error.message}`);
  process.exitCode = 1;
}
