import { describe, expect, test } from 'vitest';
import { TWILIO } from './carrier-services.ts';
import { requestProblems, responseProblems } from './twilio-api.ts';

describe("the check against Twilio's API description", () => {
  const ACCOUNT = `/2010-04-01/Accounts/${TWILIO.accountSid}`;
  const FORM = { To: '+14155550123', From: '+15005550100', Body: 'Hi', StatusCallback: 'https://app.example/status' };
  const post = (fields: Record<string, string>, path = `${ACCOUNT}/Messages.json`, type = 'x-www-form-urlencoded') =>
    requestProblems({
      method: 'POST',
      url: new URL(path, 'http://carrier'),
      headers: { 'content-type': `application/${type}` },
      body: new URLSearchParams(fields).toString(),
    });
  const get = (path: string) =>
    requestProblems({ method: 'GET', url: new URL(ACCOUNT + path, 'http://carrier'), headers: {}, body: '' });

  test('accepts documented requests', () => {
    expect(post({ ...FORM, ValidityPeriod: '600', SendAsMms: 'true' })).toEqual([]);
    expect(get('/Messages.json?To=%2B14155550123&PageSize=50')).toEqual([]);
    expect(get(`/Messages/SM${'0'.repeat(32)}.json`)).toEqual([]);
    expect(get('.json')).toEqual([]);
  });

  test.each([
    ['an unknown field', () => post({ ...FORM, IdempotencyKey: '1' }), /additional properties.*IdempotencyKey/],
    ['no recipient', () => post({ Body: 'Hi' }), /required property 'To'/],
    ['an invalid number', () => post({ ...FORM, To: '4155550123' }), /To must match format "phone-number"/],
    ['an invalid callback URL', () => post({ ...FORM, StatusCallback: '/status' }), /StatusCallback must match format/],
    ['a value of another type', () => post({ ...FORM, ValidityPeriod: 'long' }), /ValidityPeriod must be integer/],
    ['an invalid account', () => post(FORM, '/2010-04-01/Accounts/AC1/Messages.json'), /AccountSid must match/],
    ['another path', () => post(FORM, `${ACCOUNT}/Texts.json`), /no operation/],
    ['another form', () => post(FORM, undefined, 'json'), /content type/],
    ['an unknown query parameter', () => get('/Messages.json?Body=Hi'), /additional properties.*Body/],
    ['a page too large', () => get('/Messages.json?PageSize=5000'), /PageSize must be <= 1000/],
    ['an undocumented status', () => responseProblems('CreateMessage', 200, {}), /never responds 200/],
    [
      'a response without its fields',
      () => responseProblems('CreateMessage', 201, { sid: 'SM1' }),
      /required property/,
    ],
  ])('reports %s', (_name, problems, expected) => {
    expect(problems().join('\n')).toMatch(expected);
  });
});
