import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { ROOT } from './pages.ts';

const SCRIPT = fs.readFileSync(path.join(ROOT, 'docs/guides/postman/prepare.js'), 'utf8');

interface SentByScript {
  readonly url: string;
  readonly method: string;
  readonly header: Record<string, string>;
  readonly body?: { readonly raw: string };
}

type Received = (error: Error | null, response?: { code: number; text(): string; json(): unknown }) => void;

async function send({ url, method, header, body }: SentByScript, received: Received): Promise<void> {
  try {
    const response = await fetch(url, { method, headers: header, ...(body && { body: body.raw }) });
    const text = await response.text();
    received(null, { code: response.status, text: () => text, json: () => JSON.parse(text) });
  } catch (error) {
    received(error as Error);
  }
}

/** Creates the object that a request to `/v1/…/{id}` needs, with the script of the Postman guide; returns its id. */
export function prepareObject(
  operation: { method: string; path: string },
  service: { url: string; key: string },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const variables: Record<string, string> = { baseUrl: service.url, bearerToken: service.key };
    const pm = {
      variables: { get: (name: string) => variables[name], replaceIn: () => crypto.randomUUID() },
      request: {
        method: operation.method,
        url: {
          path: operation.path.slice(1).replace('{id}', ':id').split('/'),
          variables: { upsert: ({ value }: { value: string }) => resolve(value) },
        },
      },
      sendRequest: send,
      // The script reports only failures.
      test(_name: string, check: () => void) {
        try {
          check();
        } catch (error) {
          reject(error);
        }
      },
    };
    vm.runInNewContext(SCRIPT, { pm });
  });
}
