import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { METADATA_HEADER } from './phone-plans.ts';

/** Writes what the console needs to read phone numbers like the SDK, which imports nothing and is not part of the service. */

const EXAMPLES = '/** A mobile number of each country, as people there write it. */\n';
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

type ExampleOf = (country: string, examples: unknown) => { formatNational(): string } | undefined;

export function writePhoneExamples(): string {
  const load = createRequire(import.meta.url);
  const examples = load('libphonenumber-js/mobile/examples') as Record<string, unknown>;
  const { getExampleNumber } = load('libphonenumber-js/max') as { getExampleNumber: ExampleOf };
  const lines = Object.keys(examples)
    .sort()
    .map((country) => `  ${country}: '${getExampleNumber(country, examples)?.formatNational() ?? ''}',\n`);
  return `${METADATA_HEADER}${EXAMPLES}export const PHONE_EXAMPLES: Readonly<Record<string, string>> = {\n${lines.join('')}};\n`;
}
