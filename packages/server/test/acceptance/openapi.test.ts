import fs from 'node:fs';
import path from 'node:path';
import { ERROR_GUIDE } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { readDocument } from './support/published.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());

const fetchFrom = (path: string) => fetch(fixture.service.url + path);

// The endpoints of the specification, with the errors that it lists for each.
const CREATION = ['401', '409', '422', '429'];
const SPECIFIED: Record<string, [success: string, errors: string[]]> = {
  'post /v1/touchpoint-events': ['202', CREATION],
  'post /v1/intros': ['201', CREATION],
  'post /v1/intros/{id}/cancel': ['200', ['401', '404', '409']],
  'get /v1/intros/{id}': ['200', ['401', '404']],
  'get /v1/intros': ['200', ['401']],
  'get /v1/events/{id}': ['200', ['401', '404']],
  'get /v1/touchpoints': ['200', ['401']],
  'get /v1/members': ['200', ['401']],
};

describe('GET /openapi.json', () => {
  test('is OpenAPI 3.1 with the public URL of this installation', async () => {
    const document = await (await fetchFrom('/openapi.json')).json();
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      servers: [{ url: fixture.service.url }],
    });
  });

  test.each(Object.entries(SPECIFIED))('publishes %s with its responses', (operation, [success, errors]) => {
    const [method = '', path = ''] = operation.split(' ');
    const statuses = Object.keys(fixture.published.document.paths[path]?.[method]?.responses ?? {});
    expect(statuses).toEqual(expect.arrayContaining([success, ...errors]));
    expect(statuses.filter((status) => status < '300')).toEqual([success]);
  });

  test('has only paths that start with the version', () => {
    for (const path of Object.keys(fixture.published.document.paths)) expect(path).toMatch(/^\/v1\//);
  });

  test('lists the fields of each resource in the order of the specification', () => {
    const specified = {
      Intro: 'id object status touchpoint member recipient reference delivery metadata environment created_at',
      AcceptedTouchpointEvent: 'id object status touchpoint reference metadata occurred_at environment created_at',
      TouchpointEvent: 'id object status touchpoint environment created_at resolved intro error',
      Touchpoint: 'id object slug name context active',
      Member: 'id object external_id first_name last_name email phone lanes active environment created_at',
    };
    for (const [name, fields] of Object.entries(specified)) {
      const published = Object.keys(fixture.published.document.components.schemas[name]?.properties ?? {});
      const order = fields.split(' ');
      expect(published.filter((field) => order.includes(field))).toEqual(order);
    }
  });

  test('leaves responses open for new fields, and closes requests', () => {
    const { schemas } = fixture.published.document.components;
    const closed = Object.keys(schemas).filter((name) => schemas[name]?.additionalProperties === false);
    for (const name of [
      'CreateTouchpointEvent',
      'CreateIntro',
      'Recipient',
      'MemberByEmail',
      'UpdateWebhookEndpoint',
    ]) {
      expect(closed).toContain(name);
    }
    for (const name of ['Intro', 'IntroList', 'IntroDelivery', 'TouchpointEvent', 'WebhookEndpoint', 'ApiError']) {
      expect(closed).not.toContain(name);
    }
  });

  test('has values that stand for "not sent" only in requests, and in no parameter', () => {
    const { document } = fixture.published;
    const { schemas } = document.components;
    const texts: string[] = [];
    const collect = (part: unknown, seen: Set<unknown>): void => {
      if (typeof part !== 'object' || part === null || seen.has(part)) return;
      seen.add(part);
      const { $ref, enum: values } = part as Record<string, unknown>;
      if (typeof $ref === 'string') collect(schemas[$ref.split('/').at(-1) ?? ''], seen);
      if (Array.isArray(values) && values.includes('')) texts.push(JSON.stringify(part));
      for (const [name, value] of Object.entries(part)) if (!/^examples?$/.test(name)) collect(value, seen);
    };
    const seen = new Set<unknown>();
    for (const operation of Object.values(document.paths).flatMap(Object.values)) {
      collect(operation.responses, seen);
      collect(operation.parameters, seen);
    }
    for (const { post } of Object.values(document.webhooks)) collect(post?.requestBody, seen);
    expect(texts).toEqual([]);
  });

  test('has every error code of the guide for integrators, and none of the console', () => {
    const [codes] = fixture.published.document.components.schemas.ErrorCode?.anyOf ?? [];
    const listed = ERROR_GUIDE[0]?.entries.map(({ code }) => code) ?? [];
    expect([...((codes as { enum?: string[] })?.enum ?? [])].sort()).toEqual([...listed].sort());
    expect(listed).not.toContain('passkey_refused');
  });

  test('names every object, list and webhook payload', () => {
    const { paths, webhooks } = fixture.published.document;
    for (const operation of [...Object.values(paths), ...Object.values(webhooks)].flatMap(Object.values)) {
      for (const body of [operation.requestBody, ...Object.values(operation.responses)]) {
        // The responses of a webhook have no body.
        const schema = body?.content?.['application/json'].schema;
        if (schema !== undefined) expect(schema, operation.operationId).toEqual({ $ref: expect.any(String) });
      }
    }
    expect(Object.values(webhooks).map(({ post }) => post?.operationId)).toContain('onIntroReady');
  });

  test('has the version of the command and of the committed document', async () => {
    const { version } = fixture.published.document.info;
    expect((await fixture.run('--version')).version).toBe(version);
    const committed = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '../../../../openapi.json'), 'utf8'));
    expect(committed.info.version).toBe(version);
  });

  test('is compressed, and repeated requests with its ETag get a 304', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const read = (headers: Record<string, string>) =>
        fetch(`${fixture.service.url}/openapi.json`, { headers: { 'accept-encoding': encoding, ...headers } });
      const response = await read({});
      expect(readDocument(await response.text())).toEqual(fixture.published.document);
      expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(response.headers.get('vary')).toBe('accept-encoding');
      const etag = response.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"/);
      const repeated = await read({ 'if-none-match': etag });
      expect([repeated.status, await repeated.text()]).toEqual([304, '']);
      expect((await read({ 'if-none-match': '"another"' })).status).toBe(200);
    }
  });

  test('needs no key', async () => {
    for (const path of ['/openapi.json', '/docs', '/healthz', '/readyz', '/metrics']) {
      expect({ path, status: (await fetchFrom(path)).status }).toEqual({ path, status: 200 });
    }
  });
});

test.each(['/docs/reference', '/docs/reference/try'])(
  'GET %s is an HTML page that loads nothing from other hosts',
  async (path) => {
    const response = await fetchFrom(path);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const page = await response.text();
    const loaded = [...page.matchAll(/<(?:script|link|img)[^>]*?\s(?:src|href)="([^"]+)"/g)].map(
      ([, address]) => address ?? '',
    );
    const scripts = loaded.filter((address) => address.endsWith('.js'));
    // The library loads only to try an operation.
    expect(scripts.length > 0).toBe(path.endsWith('/try'));
    for (const address of loaded.filter((address) => !address.startsWith('data:'))) {
      expect(address).not.toMatch(/^(https?:)?\/\//);
      expect((await fetchFrom(new URL(address, `http://host${path}`).pathname)).status).toBe(200);
    }
  },
);

describe('GET /', () => {
  const visit = (accept: string | undefined, method = 'GET') =>
    fetch(`${fixture.service.url}/`, { method, redirect: 'manual', headers: accept === undefined ? {} : { accept } });

  test('leads browsers to the console, and so to the sign-in page', async () => {
    for (const accept of ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html']) {
      const { status, headers } = await visit(accept);
      expect([status, headers.get('location')]).toEqual([302, '/console']);
    }
    const followed = await fetch(`${fixture.service.url}/`, { headers: { accept: 'text/html' } });
    expect([followed.status, new URL(followed.url).pathname]).toEqual([200, '/console/signin']);
  });

  test('names the reference to other clients', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0', undefined]) {
      const response = await visit(accept);
      expect([response.status, response.headers.get('vary')]).toEqual([200, 'accept']);
      expect(await response.json()).toMatchObject({ docs: '/docs', openapi: '/openapi.json' });
    }
  });

  test('answers HEAD without a body', async () => {
    const response = await visit('*/*', 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await visit('text/html', 'HEAD')).headers.get('location')).toBe('/console');
  });
});

test('GET /healthz and GET /readyz respond, readyz with each of its checks', async () => {
  expect(await (await fetchFrom('/healthz')).json()).toEqual({ status: 'ok' });
  expect(await (await fetchFrom('/readyz')).json()).toEqual({
    status: 'ready',
    checks: { database: 'ok', migrations: 'ok', queue: 'ok' },
    // For information only: carriers do not affect readiness.
    carriers: { text: expect.any(String), email: expect.any(String) },
    storage: 'ok',
    warnings: [],
  });
});
