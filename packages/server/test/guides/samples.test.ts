import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { type ListedOperation, listOperations } from '../tools/published.ts';
import { findTypeErrors, prepareFolder } from './modules.ts';
import { ROOT } from './pages.ts';
import { type Recorded, RecordingProxy } from './recording-proxy.ts';
import { openGuideService } from './service.ts';

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
function prepareObject(
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

/** Programs that run many samples in one process, each with variables of its own. */
const LANGUAGES = [
  { lang: 'shell', extension: 'sh', program: 'bash', args: ['-euc', 'for file; do (source "$file"); done', 'bash'] },
  {
    lang: 'typescript',
    extension: 'ts',
    program: process.execPath,
    args: ['--input-type=module', '--eval', 'for (const file of process.argv.slice(1)) await import(file);', '--'],
  },
];

const TAKE_DOWN = '/v1/intros/{id}/take_down';
const NEEDS_RECORDING = /\/(mark_sent|open|watch|reply)$/;

/** The SDK chooses the keys of other requests. */
const KEYS_OF_CALLERS = ['createTouchpointEvent', 'createIntro', 'createMember'];

interface Sample {
  readonly lang: string;
  readonly source: string;
}

const operations = listOperations() as (ListedOperation & { 'x-codeSamples': Sample[] })[];
const root = temporaryFolder();

const sourceOf = (operation: (typeof operations)[number], lang: string): string =>
  operation['x-codeSamples'].find((sample) => sample.lang === lang)?.source ?? '';

function writeSamples(lang: string, extension: string): string[] {
  return operations.map((operation) => {
    const file = path.join(root, `${operation.operationId}.${extension}`);
    fs.writeFileSync(file, sourceOf(operation, lang));
    return file;
  });
}

const operationOf = (method: string, target: string) =>
  operations.find(
    (one) =>
      one.method === method && new RegExp(`^${one.path.replace('{id}', '[^/]+')}$`).test(target.replace(/\?.*/, '')),
  );

/** The request that the document describes with its first example. */
function documentedRequest(operation: (typeof operations)[number]) {
  const exampleOf = (name: string) => operation.parameters.find((parameter) => parameter.name === name)?.example;
  const [body] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
  return {
    path: operation.path.replace('{id}', exampleOf('id') ?? ''),
    key: /Idempotency-Key: ([^"]+)"/.exec(sourceOf(operation, 'shell'))?.[1],
    body: body?.value ?? {},
  };
}

function sentRequest({ target, headers, body }: Recorded) {
  return {
    path: target.replace(/\?.*/, ''),
    key: headers['idempotency-key'],
    body: body === '' ? {} : JSON.parse(body),
  };
}

/** Without the size of a page, which the SDK chooses. */
function queryOf(target: string) {
  const { limit: _limit, ...query } = Object.fromEntries(new URLSearchParams(target.replace(/^[^?]*\??/, '')));
  return query;
}

prepareFolder(root);
const guideService = await forFile(openGuideService());

test('the samples in TypeScript compile strictly', async () => {
  expect(await findTypeErrors(root, writeSamples('typescript', 'ts'))).toBe('');
});

test.concurrent.each(LANGUAGES)('the samples in $lang succeed, and send what the document shows', async (language) => {
  const { lang, extension, program, args } = language;
  // Objects of the service in place of those of the examples. Everything else reaches it as the sample sends it.
  const service = await guideService.newCaller();
  // Videos take long, so they are ready before the samples wait for a response. In the order of the document, two are enough.
  const recorded = await prepareObject({ method: 'POST', path: '/v1/intros/{id}/mark_sent' }, service);
  const sentIntro = await prepareObject({ method: 'POST', path: TAKE_DOWN }, service);
  const findObject = (operation: (typeof operations)[number]) => {
    if (operation.path === TAKE_DOWN) return sentIntro;
    return NEEDS_RECORDING.test(operation.path) ? recorded : prepareObject(operation, service);
  };
  const proxy = new RecordingProxy(service.url, async ({ method, target }) => {
    const operation = operationOf(method, target);
    if (!operation?.path.includes('{id}')) return target;
    const id = await findObject(operation);
    return target.replace(documentedRequest(operation).path, operation.path.replace('{id}', id));
  });
  const env = { PATH: process.env.PATH ?? '', FOREWORD_URL: await proxy.listen(), FOREWORD_API_KEY: service.key };
  const { stdout } = await promisify(execFile)(program, [...args, ...writeSamples(lang, extension)], {
    cwd: root,
    env,
  });
  await proxy.close();
  expect(stdout).not.toBe('');

  const requests = proxy.take();
  expect(requests.filter(({ status }) => status >= 300).map(({ target, response }) => [target, response])).toEqual([]);
  const sent = requests.map((request) => ({ request, operation: operationOf(request.method, request.target) }));
  expect(new Set(sent.map(({ operation }) => operation?.operationId)).size).toBe(operations.length);
  for (const { request, operation } of sent) {
    if (operation === undefined) throw new Error(`no operation has ${request.method} ${request.target}`);
    const isChosenBySdk = lang === 'typescript' && !KEYS_OF_CALLERS.includes(operation.operationId);
    const documented = documentedRequest(operation);
    if (isChosenBySdk && documented.key !== undefined) documented.key = expect.any(String);
    expect(sentRequest(request)).toEqual(documented);
    const [, shown = ''] = /\$FOREWORD_URL([^"]*)/.exec(sourceOf(operation, 'shell')) ?? [];
    expect(queryOf(request.target)).toEqual(queryOf(shown));
  }
});
