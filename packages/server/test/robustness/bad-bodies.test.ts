import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { MALFORMED_BODIES } from './bad-requests.table.ts';
import { CREATIONS, type Creation, completeBody } from './bodies.ts';
import { invalidField, type Outcome, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';
import { expectNothingStored } from './stored.ts';

const BODY_LIMIT_BYTES = 64 * 1024;
const WRONG_MEDIA_TYPE: Outcome = { status: 415, code: 'unsupported_media_type', field: undefined };
const TOO_LARGE: Outcome = { status: 413, code: 'payload_too_large', field: undefined };

const fixture = await forFile(openService());
const acme = fixture.organization;
const introId = (await acme.api.post('/v1/intros', completeBody('intros'))).body.id;

const stored = expectNothingStored(() => fixture.database);

const MOVES = ['cancel', 'mark_sent'] as const;
const JSON_TYPE = { 'content-type': 'application/json' };

const raw = (path: string, body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Promise<Reply> =>
  acme.api.raw('POST', path, { body, headers: { 'idempotency-key': nextKey(), ...headers } });

describe('a malformed body', () => {
  test.each(CREATIONS)('is rejected by /v1/%s with the field "body"', async (creation) => {
    for (const [name, body] of MALFORMED_BODIES)
      expect([name, outcomeOf(await raw(`/v1/${creation}`, body))]).toEqual([name, invalidField('body')]);
  });

  test.each(MOVES)('is rejected by %s, which needs no body, with the field "body"', async (move) => {
    for (const [name, body] of MALFORMED_BODIES.filter(([, body]) => body.length > 0))
      expect([name, outcomeOf(await raw(`/v1/intros/${introId}/${move}`, body))]).toEqual([name, invalidField('body')]);
    expect((await acme.api.get(`/v1/intros/${introId}`)).body.status).toBe('requested');
  });

  test.each(MOVES)('is also one that has fields, because %s takes none', async (move) => {
    const reply = await raw(`/v1/intros/${introId}/${move}`, '{"reason":"moved"}');
    expect(outcomeOf(reply)).toEqual(invalidField('reason'));
  });
});

describe('a compressed body', () => {
  test.each([...CREATIONS, `intros/${introId}/cancel`])('is rejected by /v1/%s with the reason', async (path) => {
    for (const encoding of ['gzip', 'br', 'zstd', 'gzip, identity']) {
      const reply = await raw(`/v1/${path}`, gzipSync('{}'), { ...JSON_TYPE, 'content-encoding': encoding });
      expect(outcomeOf(reply)).toEqual(WRONG_MEDIA_TYPE);
      expect(reply.body.error.message).toContain('Content-Encoding');
    }
  });

  test('is not one with the encoding identity', async () => {
    const body = JSON.stringify(completeBody('intros'));
    // The unknown parameter, which is checked later, is rejected in its place.
    const { status } = await raw('/v1/intros?x=', body, { ...JSON_TYPE, 'content-encoding': 'identity' });
    expect(status).toBe(422);
  });
});

describe('a large body', () => {
  const padded = (creation: Creation, bytes: number) => {
    const text = JSON.stringify(completeBody(creation));
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };

  test.each(CREATIONS)('is rejected by /v1/%s from the first extra byte', async (creation) => {
    for (const bytes of [BODY_LIMIT_BYTES + 1, BODY_LIMIT_BYTES * 2])
      expect(outcomeOf(await raw(`/v1/${creation}`, padded(creation, bytes)))).toEqual(TOO_LARGE);
  });

  test('is also rejected when it is sent in chunks without a length', async () => {
    const head = `POST /v1/intros HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.key}\r\nIdempotency-Key: ${nextKey()}\r\n`;
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const body = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`;
    const [reply] = await exchange(fixture.service.url, head + body);
    expect(reply && outcomeOf(reply)).toEqual(TOO_LARGE);
  });

  test.each(CREATIONS)('of exactly 64 KiB is accepted by /v1/%s', async (creation) => {
    const reply = await raw(`/v1/${creation}`, padded(creation, BODY_LIMIT_BYTES));
    expect(reply.status).toBe(creation === 'intros' ? 201 : 202);
    const isIntro = creation === 'intros';
    stored.expect({ events: isIntro ? 0 : 1, intros: isIntro ? 1 : 0, keys: 1 });
  });
});

describe('a media type', () => {
  const WRONG = [
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
    ...['application/jsonp', 'text/json', 'application/json; charset=latin1', 'application/json; charset=utf-16'],
    ...['application/merge-patch+json', 'json', 'application/', '*/*', 'application/json, text/plain', '{}', ';'],
  ];
  const RIGHT = [
    ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
    ...['application/json ; charset="utf-8"'],
  ];

  test.each(CREATIONS)('other than JSON in UTF-8 is rejected by /v1/%s', async (creation) => {
    const body = JSON.stringify(completeBody(creation));
    for (const type of WRONG) {
      const reply = await raw(`/v1/${creation}`, body, { 'content-type': type });
      expect([type, outcomeOf(reply)]).toEqual([type, WRONG_MEDIA_TYPE]);
    }
    const untyped = await raw(`/v1/${creation}`, Buffer.from(body), {});
    expect(outcomeOf(untyped)).toEqual(WRONG_MEDIA_TYPE);
  });

  test.each(CREATIONS)('for JSON in UTF-8 is accepted by /v1/%s in every spelling', async (creation) => {
    for (const type of RIGHT) {
      const reply = await raw(`/v1/${creation}`, '{}', { 'content-type': type });
      expect([type, outcomeOf(reply)]).toEqual([type, invalidField(creation === 'intros' ? 'member' : 'touchpoint')]);
    }
  });
});
