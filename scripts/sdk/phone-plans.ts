import { createRequire } from 'node:module';

/** Writes what `Foreword.toE164` knows about countries, from the metadata of libphonenumber-js. */

type Entry = readonly unknown[];

interface Metadata {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly countries: Readonly<Record<string, Entry>>;
  readonly nonGeographic: Readonly<Record<string, Entry>>;
}

const HEADER = `// Generated from the metadata of libphonenumber-js by \`npm run gen\`. Do not edit.
// The metadata is Google's libphonenumber, Copyright (C) The Libphonenumber Authors, Apache-2.0.

`;
const TYPE = `/** Calling code, international prefix, pattern and lengths of national numbers, national prefix, and its replacement. */
export type PhonePlan = readonly [
  callingCode: string,
  internationalPrefix: string,
  pattern: string,
  lengths: readonly number[],
  nationalPrefix: string,
  replacement: string,
];

`;

function writePlan(name: string, entry: Entry): string {
  const [code, internationalPrefix, pattern, lengths, , prefix, , prefixPattern, replacement] = entry;
  const plan = [code, internationalPrefix || '', pattern, lengths, prefixPattern || prefix || '', replacement || ''];
  return `  ${JSON.stringify(name)}: ${JSON.stringify(plan)},\n`;
}

export function writePhonePlans(): string {
  // With require, because JSON modules print a warning in some versions of Node.
  const metadata = createRequire(import.meta.url)('libphonenumber-js/min/metadata') as Metadata;
  // The main country of each calling code first.
  const countries = Object.values(metadata.country_calling_codes).flat();
  const lines = [
    ...countries.map((name) => writePlan(name, metadata.countries[name] ?? [])),
    ...Object.entries(metadata.nonGeographic).map(([name, entry]) => writePlan(name, entry)),
  ];
  return `${HEADER}${TYPE}export const PHONE_PLANS: Readonly<Record<string, PhonePlan>> = {\n${lines.join('')}};\n`;
}
