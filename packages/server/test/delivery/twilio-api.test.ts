import { describe, expect, it } from 'vitest';
import { TWILIO } from './carrier-services.ts';
import { problemsOfAnswer, problemsOfRequest } from './twilio-api.ts';

describe('what Twilio publishes of its API, to which the adapter and the service above are held', () => {
  const ACCOUNT = `/2010-04-01/Accounts/${TWILIO.accountSid}`;
  const FORM = { To: '+14155550123', From: '+15005550100', Body: 'Hi', StatusCallback: 'https://app.example/status' };
  const post = (fields: Record<string, string>, path = `${ACCOUNT}/Messages.json`, type = 'x-www-form-urlencoded') =>
    problemsOfRequest({
      method: 'POST',
      url: new URL(path, 'http://carrier'),
      headers: { 'content-type': `application/${type}` },
      body: new URLSearchParams(fields).toString(),
    });
  const get = (path: string) =>
    problemsOfRequest({ method: 'GET', url: new URL(ACCOUNT + path, 'http://carrier'), headers: {}, body: '' });

  it('allows what is in it', () => {
    expect(post({ ...FORM, ValidityPeriod: '600', SendAsMms: 'true' })).toEqual([]);
    expect(get('/Messages.json?To=%2B14155550123&PageSize=50')).toEqual([]);
    expect(get(`/Messages/SM${'0'.repeat(32)}.json`)).toEqual([]);
    expect(get('.json')).toEqual([]);
  });

  it.each([
    [
      'a field that it does not know',
      () => post({ ...FORM, IdempotencyKey: '1' }),
      /additional properties.*IdempotencyKey/,
    ],
    ['no recipient', () => post({ Body: 'Hi' }), /required property 'To'/],
    ['a number that is none', () => post({ ...FORM, To: '4155550123' }), /To must match format "phone-number"/],
    ['an address that is none', () => post({ ...FORM, StatusCallback: '/status' }), /StatusCallback must match format/],
    ['a number of another type', () => post({ ...FORM, ValidityPeriod: 'long' }), /ValidityPeriod must be integer/],
    ['an account that is none', () => post(FORM, '/2010-04-01/Accounts/AC1/Messages.json'), /AccountSid must match/],
    ['another path', () => post(FORM, `${ACCOUNT}/Texts.json`), /no operation/],
    ['another form', () => post(FORM, undefined, 'json'), /content type/],
    ['a question that it does not know', () => get('/Messages.json?Body=Hi'), /additional properties.*Body/],
    ['a page too large', () => get('/Messages.json?PageSize=5000'), /PageSize must be <= 1000/],
    ['an answer that it never gives', () => problemsOfAnswer('CreateMessage', 200, {}), /does not answer 200/],
    ['an answer without its fields', () => problemsOfAnswer('CreateMessage', 201, { sid: 'SM1' }), /required property/],
  ])('%s: said', (_says, problems, expected) => {
    expect(problems().join('\n')).toMatch(expected);
  });
});
