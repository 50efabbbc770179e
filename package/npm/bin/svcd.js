#!/usr/bin/env node
// npx svcd: the program of this platform, with the same arguments, input and output.
import { spawn } from 'node:child_process';
import { program } from '../server.js';

try {
  const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => { console.error(`svcd: ${error.message}`); process.exitCode = 1; });
  child.on('exit', (code, signal) => { process.exitCode = code ?? 128 + (signal ? 15 : 0); });
} catch (error) {
  console.error(`svcd: ${error.message}`);
  process.exitCode = 1;
}
