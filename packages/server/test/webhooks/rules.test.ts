import { describe, expect, test } from 'vitest';
import { createSeal } from '../../src/platform/seal.ts';
import { signatureHeaders } from '../../src/platform/standard-webhooks.ts';
import { classifyResponse, isSubscribedTo, nextAttemptAt, RETRY_DELAYS_S } from '../../src/webhooks/rules.ts';
import { createSecret } from '../../src/webhooks/sealing.ts';

test.each<[string[], string, boolean]>([
  [['*'], 'intro.ready', true],
  [['*'], 'something.new', true],
  [['intro.*'], 'intro.ready', true],
  [['intro.*'], 'touchpoint_event.failed', false],
  [['intro.ready'], 'intro.ready', true],
  [['intro.ready'], 'intro.sent', false],
  [['recipient.opted_out', 'intro.sent'], 'intro.sent', true],
])('a subscription to %j includes %s: %s', (choices, type, expected) => {
  expect(isSubscribedTo(choices, type)).toBe(expected);
});

describe('a retry', () => {
  const now = new Date('2026-03-10T09:00:00Z');

  test('follows each delay of the schedule within 10%, and there is none after the last', () => {
    for (const [n, delayS] of RETRY_DELAYS_S.entries()) {
      const waits = [0, 0.5, 0.999].map(
        (chance) => (nextAttemptAt(n + 1, now, chance)?.getTime() ?? 0) - now.getTime(),
      );
      expect(waits.map((wait) => Math.round(wait / delayS / 10))).toEqual([90, 100, 110]);
    }
    expect(nextAttemptAt(RETRY_DELAYS_S.length + 1, now, 0.5)).toBeNull();
  });
});

describe('a response', () => {
  test.each([200, 201, 204, 299])('of %i is a success', (status) => {
    expect(classifyResponse({ status, fault: null })).toEqual({ succeeded: true, isGone: false, error: null });
  });

  test.each([301, 400, 404, 410, 429, 500, 503])('of %i is a failure, and only 410 is permanent', (status) => {
    expect(classifyResponse({ status, fault: null })).toMatchObject({ succeeded: false, isGone: status === 410 });
  });

  test('that is incomplete is a failure, regardless of its status', () => {
    for (const status of [200, 410]) {
      expect(classifyResponse({ status, fault: 'Broken.' })).toEqual({
        succeeded: false,
        isGone: false,
        error: 'Broken.',
      });
    }
  });
});

describe('a signature', () => {
  test('matches the example of the Standard Webhooks specification', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', payload: '{"test": 2432232314}' };
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    expect(signatureHeaders(message, secrets, new Date(1_614_265_330_999))).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('uses a secret of 32 random bytes', () => {
    const secrets = new Set(Array.from({ length: 100 }, createSecret));
    expect(secrets.size).toBe(100);
    for (const secret of secrets) {
      expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    }
  });
});

describe('a sealed secret', () => {
  const seal = createSeal(Buffer.alloc(32, 1));

  test('opens with its key and context, and does not reveal the secret', () => {
    const closed = seal.close('whsec_secret', 'org_1/whk_1');
    expect(seal.open(closed, 'org_1/whk_1')).toBe('whsec_secret');
    expect(closed.toString('latin1')).not.toContain('secret');
    expect(seal.close('whsec_secret', 'org_1/whk_1').equals(closed)).toBe(false);
  });

  test('does not open with another context or key, or if a bit was changed', () => {
    const closed = seal.close('whsec_secret', 'org_1/whk_1');
    expect(() => seal.open(closed, 'org_2/whk_1')).toThrow();
    expect(() => createSeal(Buffer.alloc(32, 2)).open(closed, 'org_1/whk_1')).toThrow();
    for (let i = 0; i < closed.length; i++) {
      const changed = Buffer.from(closed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => seal.open(changed, 'org_1/whk_1')).toThrow();
    }
    expect(() => seal.open(closed.subarray(0, 20), 'org_1/whk_1')).toThrow();
  });
});
