// Checks of the document by itself: two validators, a linter, and that every schema in it compiles and every example and
// default matches its schema. The linter cannot check examples and defaults, because it reads patterns without their Unicode flag.
import { execFileSync } from 'node:child_process';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { escape, Schemas } from './schemas.mjs';
import { operationsOf } from './world.mjs';

async function validators(document, report) {
  try {
    await SwaggerParser.validate(structuredClone(document));
    report.pass();
  } catch (error) {
    report.fail(`swagger-parser: ${error.message}`);
  }
  const verdict = await new Validator().validate(structuredClone(document));
  if (verdict.valid) report.pass();
  else report.fail(`openapi-schema-validator: ${JSON.stringify(verdict.errors)}`);
}

function linter(program, rules, file, report) {
  try {
    execFileSync(process.execPath, [program, 'lint', '--fail-severity=hint', '--ruleset', rules, file], { stdio: ['ignore', 'pipe', 'pipe'] });
    report.pass();
  } catch (error) {
    report.fail(`spectral: ${error.stdout}${error.stderr}`);
  }
}

function schemas(document, report) {
  const compiled = new Schemas(document);
  const check = (pointer, value, what) => {
    try {
      const fault = compiled.fault(pointer, value);
      if (value === undefined || !fault) report.pass();
      else report.fail(`${what} does not fit its schema: ${fault}`);
    } catch (error) {
      report.fail(`${what}: ${error.message}`);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    check(`/components/schemas/${escape(name)}`, undefined, name);
    for (const [field, value] of Object.entries(schema.properties ?? {}))
      if (value.default !== undefined) check(`/components/schemas/${escape(name)}/properties/${escape(field)}`, value.default, `${name}.${field}`);
  }
  for (const op of operationsOf(document))
    if (op.example !== undefined)
      check(`/paths/${escape(op.path)}/${op.method.toLowerCase()}/requestBody/content/application~1json/schema`, op.example, `the example of ${op.id}`);
}

// Checks that every operation has its required parts.
function operations(document, report) {
  const names = new Set(), tags = new Set(document.tags.map((tag) => tag.name));
  for (const op of operationsOf(document)) {
    const codes = Object.keys(op.spec.responses);
    const lacks = [!op.id && 'operationId', names.has(op.id) && 'an operationId of its own', !op.spec.summary && 'summary',
      !op.spec.tags.every((tag) => tags.has(tag)) && 'a known tag', !codes.some((code) => code.startsWith('4')) && '4xx',
      !op.answer.headers?.['RateLimit-Remaining'] && 'headers'].filter(Boolean);
    names.add(op.id);
    if (lacks.length) report.fail(`${op.id} has not ${lacks.join(', ')}`);
    else report.pass();
  }
}

export async function checkDocument(document, file, { spectral, rules }, report) {
  await validators(document, report);
  linter(spectral, rules, file, report);
  schemas(document, report);
  operations(document, report);
}
