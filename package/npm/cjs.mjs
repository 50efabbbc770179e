// node cjs.mjs FILE.js...: writes the CommonJS form of each module next to it, for programs that call require(). It supports only the few forms of
// import and export that the files of this package use, and fails at any other.
import { readFileSync, writeFileSync } from 'node:fs';

for (const file of process.argv.slice(2)) {
  const names = [];
  const names_of = (list) => list.split(',').map((name) => name.trim()).filter(Boolean);
  const required = (from) => `require('${from.replace(/\.js$/, '.cjs')}')`;
  const text = readFileSync(file, 'utf8')
    .replace(/^import \{ (.*) \} from '(.*)';$/gm, (_, list, from) => `const { ${list} } = ${required(from)};`)
    .replace(/^export \{ (.*) \} from '(.*)';$/gm, (_, list, from) => `Object.assign(exports, (({ ${list} }) => ({ ${list} }))(${required(from)}));`)
    .replace(/^export (async function|function|class|const) (\w+)/gm, (_, kind, name) => { names.push(...names_of(name)); return `${kind} ${name}`; })
    .replace(/await import\('(node:.*?)'\)/g, (_, from) => `require('${from}')`) // jest supports only require()
    .replace(/import\.meta\.url/g, "require('node:url').pathToFileURL(__filename).href");
  const left = /^(import|export)\b.*/m.exec(text);
  if (left) throw new Error(`${file}: cannot write as CommonJS: ${left[0]}`);
  writeFileSync(file.replace(/\.js$/, '.cjs'), `'use strict';\n${text}\nObject.assign(exports, { ${names.join(', ')} });\n`);
}
