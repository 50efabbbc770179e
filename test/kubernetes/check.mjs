// Checks manifests of Kubernetes (the files given as arguments) in two ways. The JSON schemas of kubernetes-models check required members and types. The
// TypeScript compiler, with the types of the same package, finds members that Kubernetes does not have, which a schema accepts.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import * as yaml from 'js-yaml'

const require = createRequire(import.meta.url)
const here = path.dirname(new URL(import.meta.url).pathname)
const typed = []
for (const file of process.argv.slice(2)) {
  for (const document of yaml.loadAll(fs.readFileSync(file, 'utf8'))) {
    const { apiVersion, kind, metadata } = document
    const models = require(`kubernetes-models/${apiVersion}`)
    if (!models[kind]) throw new Error(`${file}: there is no ${kind} in ${apiVersion}`)
    new models[kind](document).validate()
    typed.push(`import type { I${kind} as T${typed.length} } from 'kubernetes-models/${apiVersion}'; // ${kind} ${metadata.name}
export const d${typed.length}: T${typed.length} = ${JSON.stringify(document, null, 1)};`)
    console.log(`${path.basename(file)}: ${kind} ${metadata.name}`)
  }
}
if (!typed.length) throw new Error('no documents')
const source = path.join(here, 'node_modules', 'manifests.ts')
fs.writeFileSync(source, typed.join('\n'))
const tsc = spawnSync(process.execPath, [require.resolve('typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--moduleResolution', 'nodenext', source], { encoding: 'utf8' })
if (tsc.status !== 0) {
  console.error(tsc.stdout)
  process.exit(1)
}
