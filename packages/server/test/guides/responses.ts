import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT } from './pages.ts';

const WILDCARDS = [
  // Ids with the same prefix.
  /^([a-z]+_)[0-9a-z]{26}$/,
  /^(\d{4}-\d\d-\d\dT)[\d:.]+Z$/,
  /^(https?:\/\/)\S+$/,
  /^(whsec_)\S+$/,
];

const kindOf = (text: string): string | undefined => {
  const index = WILDCARDS.findIndex((pattern) => pattern.test(text));
  if (index < 0) return undefined;
  return index === 0 ? text.replace(/_.*/, '_') : String(index);
};

/** The parts of a shown value that the real one lacks. A shown object or list may leave parts out. */
export function findDifferences(shown: unknown, real: unknown, at = 'response'): string[] {
  if (typeof shown === 'string' && typeof real === 'string') {
    if (shown === real || (kindOf(shown) !== undefined && kindOf(shown) === kindOf(real))) return [];
  } else if (typeof shown === 'object' && shown !== null && typeof real === 'object' && real !== null) {
    return Object.entries(shown).flatMap(([name, value]) =>
      findDifferences(value, (real as Record<string, unknown>)[name], `${at}.${name}`),
    );
  } else if (shown === real) {
    return [];
  }
  return [`${at} is shown as ${JSON.stringify(shown)}, and is ${JSON.stringify(real)}`];
}

type Validate = ((value: unknown) => boolean) & {
  errors?: readonly { instancePath: string; message?: string }[] | null;
};
const require = createRequire(import.meta.url);
const { default: Ajv } = require('ajv/dist/2020') as {
  default: new (
    options: object,
  ) => { addSchema(schema: object, key: string): void; getSchema(key: string): Validate | undefined };
};

const document = JSON.parse(fs.readFileSync(path.join(ROOT, 'openapi.json'), 'utf8'));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/** Validates a value against a schema of openapi.json. */
export function findViolations(schema: string, value: unknown): string[] {
  const validate = ajv.getSchema(`openapi#/components/schemas/${schema}`);
  if (validate === undefined) return [`openapi.json has no schema ${schema}`];
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
