/** Writes the code samples of each operation in five languages. */

import { writeCurl } from './samples/curl.ts';
import { writePhp } from './samples/php.ts';
import { writePython } from './samples/python.ts';
import type { SampleRequest } from './samples/request.ts';
import { writeRuby } from './samples/ruby.ts';
import { writeTypeScript } from './samples/typescript.ts';
import type { JsonObject } from './schemas.ts';

const LANGUAGES: readonly { lang: string; label: string; write(request: SampleRequest): string }[] = [
  { lang: 'shell', label: 'curl', write: writeCurl },
  { lang: 'typescript', label: 'TypeScript', write: writeTypeScript },
  { lang: 'python', label: 'Python', write: writePython },
  { lang: 'php', label: 'PHP', write: writePhp },
  { lang: 'ruby', label: 'Ruby', write: writeRuby },
];

/** `x-codeSamples`: complete programs that read FOREWORD_URL and FOREWORD_API_KEY. Tests run every one. */
export const codeSamples = (request: SampleRequest): JsonObject[] =>
  LANGUAGES.map(({ lang, label, write }) => ({ lang, label, source: `${write(request)}\n` }));
