import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Writes what the console needs to read phone numbers like the SDK, which imports nothing and is not part of the service. */

const SOURCE = 'packages/sdk/src/phone.ts';

const HEADER = `// Generated from ${SOURCE} by \`npm run gen\`. Do not edit.\n\n`;

/** `toE164` of the SDK, with the errors and plans of the server. */
export function writePhoneReader(): string {
  const source = fs.readFileSync(path.join(import.meta.dirname, '../..', SOURCE), 'utf8');
  const copy = source
    .replaceAll('ForewordPhoneError', 'PhoneError')
    .replace("from './errors.ts'", "from './error.ts'")
    .replace("from './generated/phone-plans.ts'", "from './plans.ts'");
  return HEADER + copy;
}

const EXAMPLES_HEADER = `// Generated from the metadata of libphonenumber-js by \`npm run gen\`. Do not edit.
// The metadata is Google's libphonenumber, Copyright (C) The Libphonenumber Authors, Apache-2.0.

/** A mobile number of each country, as people there write it. */
`;

type ExampleOf = (country: string, examples: unknown) => { formatNational(): string } | undefined;

export function writePhoneExamples(): string {
  const load = createRequire(import.meta.url);
  const examples = load('libphonenumber-js/mobile/examples') as Record<string, unknown>;
  const { getExampleNumber } = load('libphonenumber-js/max') as { getExampleNumber: ExampleOf };
  const lines = Object.keys(examples)
    .sort()
    .map((country) => `  ${country}: '${getExampleNumber(country, examples)?.formatNational() ?? ''}',\n`);
  return `${EXAMPLES_HEADER}export const PHONE_EXAMPLES: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`;
}
