/** Writes the code samples of each operation. */

import { writeCurl } from './samples/curl.ts';
import type { SampleRequest } from './samples/request.ts';
import { writeTypeScript } from './samples/typescript.ts';
import type { JsonObject } from './schemas.ts';

/** `x-codeSamples`: complete programs that read FOREWORD_URL and FOREWORD_API_KEY. Tests run every one. */
export const codeSamples = (request: SampleRequest): JsonObject[] => [
  { lang: 'shell', label: 'curl', source: `${writeCurl(request)}\n` },
  { lang: 'typescript', label: 'TypeScript', source: `${writeTypeScript(request)}\n` },
];
