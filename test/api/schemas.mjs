// The compiled schemas of the document: a second check in addition to Prism's, which is silent about schemas that it cannot
// compile.
import Ajv2020 from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export const escape = (text) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

export class Schemas {
  constructor(document) {
    this.ajv = new Ajv2020({ allErrors: true, strict: false, logger: false });
    formats(this.ajv);
    this.ajv.addSchema({ $id: 'doc', ...document });
    this.compiled = new Map();
  }

  // Returns the errors of a value against the schema at this place as a text, or undefined. Throws if there is no schema that
  // compiles.
  fault(pointer, value) {
    if (!this.compiled.has(pointer)) this.compiled.set(pointer, this.ajv.compile({ $ref: `doc#${pointer}` }));
    const fits = this.compiled.get(pointer);
    return fits(value) ? undefined : this.ajv.errorsText(fits.errors);
  }
}
