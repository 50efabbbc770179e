// The code of a page of documentation, run as it stands: node page.mjs FILE.md, in a folder with svcapi in node_modules. Each ```js block is written to
// block-N.mjs and run by Node; block-N.test.mjs where it imports node:test (node --test) or vitest (vitest run); block-N.test.cjs where it calls require()
// (jest). The first block that fails ends the run: its line in the page and its output are shown, and its file is left for a look. Files that the blocks write stay.
//
// The rule: a page without a ```js block fails, and so does a fence that nobody closes or that is marked js in another spelling, because nothing would run.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const MOST_MS = 60_000; // of one block

// The blocks of the page: the line on which the code begins, and the code.
function blocksOf(text) {
  const blocks = [];
  let open = null;
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (!fence) {
      open?.code.push(line);
    } else if (open) {
      if (fence[1].trim()) throw new Error(`line ${i + 1}: a fence inside the block of line ${open.line}`);
      if (open.kind === 'js') blocks.push({ line: open.line, code: `${open.code.join('\n')}\n` });
      open = null;
    } else {
      if (/^(javascript|mjs|cjs|node|js\s.*|JS)$/.test(fence[1].trim())) throw new Error(`line ${i + 1}: a block of JavaScript is marked js, not ${fence[1]}`);
      open = { kind: fence[1].trim(), line: i + 2, code: [] };
    }
  }
  if (open) throw new Error(`line ${open.line - 1}: this fence is never closed`);
  return blocks;
}

// The file that a block becomes, and the command that runs it.
function runOf(n, code) {
  if (/^import .* from 'vitest';$/m.test(code)) return [`block-${n}.test.mjs`, (file) => ['npx', 'vitest', 'run', file, '--dir', '.']];
  if (/\brequire\('svcapi/.test(code)) return [`block-${n}.test.cjs`, (file) => ['npx', 'jest', '--rootDir', '.', '--testMatch', `**/${file}`]];
  if (/^import .* from 'node:test';$/m.test(code)) return [`block-${n}.test.mjs`, (file) => [process.execPath, '--test', file]];
  return [`block-${n}.mjs`, (file) => [process.execPath, file]];
}

function run(page) {
  const blocks = blocksOf(readFileSync(page, 'utf8'));
  if (!blocks.length) throw new Error('there is no ```js block');
  for (const [i, { line, code }] of blocks.entries()) {
    const [file, command] = runOf(i + 1, code), [program, ...args] = command(file);
    writeFileSync(file, code);
    const { status, signal, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: MOST_MS });
    if (status !== 0) throw new Error(`line ${line}: ${file} ${error?.message ?? (signal ? `was ended by ${signal}` : `ended with ${status}`)}\n${stdout ?? ''}${stderr ?? ''}`);
    rmSync(file);
  }
  return blocks.length;
}

if (process.argv.length !== 3) {
  console.error('usage: node page.mjs FILE.md');
  process.exit(2);
}
try {
  console.log(`ok ${process.argv[2]}: ${run(process.argv[2])} blocks`);
} catch (error) {
  console.error(`${process.argv[2]}: ${error.message}`);
  process.exit(1);
}
