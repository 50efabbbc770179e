// The schemas of the document, compiled: a second opinion beside Prism's, which says nothing where it cannot compile one.
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

  // What is wrong with a value by the schema at this place: a text, or nothing. It throws where there is none that compiles.
  fault(pointer, value) {
    if (!this.compiled.has(pointer)) this.compiled.set(pointer, this.ajv.compile({ $ref: `doc#${pointer}` }));
    const fits = this.compiled.get(pointer);
    return fits(value) ? undefined : this.ajv.errorsText(fits.errors);
  }
}
