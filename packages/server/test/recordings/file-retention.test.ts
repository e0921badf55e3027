import { describe, expect, test } from 'vitest';
import { firstFileCheckAt, nextFileCheckAt } from '../../src/recordings/rules.ts';

const NOW = new Date('2026-03-05T10:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const shown = {
  isReady: true,
  isRetriable: false,
  isShown: true,
  introStatus: 'ready',
  sentAt: null,
  keptDays: 180,
} as const;

describe('the files of a take', () => {
  test.each([
    ['that was refused or discarded', { ...shown, isReady: false }],
    ['that another take replaced', { ...shown, isShown: false }],
    ['of an intro that was cancelled', { ...shown, introStatus: 'cancelled' }],
    ['of an intro that has expired', { ...shown, introStatus: 'expired' }],
    ['whose page was sent more than 180 days ago', { ...shown, introStatus: 'sent', sentAt: ago(181 * DAY_MS) }],
  ] as const)('%s are deleted', (_case, take) => {
    expect(nextFileCheckAt(take, NOW)).toBeNull();
  });

  test.each(['requested', 'ready'] as const)('that was refused are kept while it can be tried again', (introStatus) => {
    const take = { ...shown, isReady: false, isRetriable: true, isShown: false, introStatus };
    expect(nextFileCheckAt(take, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
    expect(nextFileCheckAt({ ...take, introStatus: 'cancelled' }, NOW)).toBeNull();
    expect(nextFileCheckAt({ ...take, introStatus: 'sent' }, NOW)).toBeNull();
  });

  test('that has not been sent are checked again the next day', () => {
    expect(nextFileCheckAt(shown, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });

  test('that was sent are kept until an hour after its page closes', () => {
    const sentAt = ago(10 * DAY_MS);
    const take = { ...shown, introStatus: 'sent', sentAt } as const;
    expect(nextFileCheckAt(take, NOW)).toEqual(new Date(sentAt.getTime() + 180 * DAY_MS + HOUR_MS));
  });

  test('are kept for as long as the organization chose', () => {
    const take = { ...shown, introStatus: 'sent', sentAt: ago(7 * DAY_MS + HOUR_MS) } as const;
    expect(nextFileCheckAt({ ...take, keptDays: 7 }, NOW)).toBeNull();
    expect(nextFileCheckAt({ ...take, keptDays: 8 }, NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });

  test('are first checked after an hour when never shown, and after a day when shown', () => {
    expect(firstFileCheckAt('refused', NOW)).toEqual(new Date(NOW.getTime() + HOUR_MS));
    expect(firstFileCheckAt('discarded', NOW)).toEqual(new Date(NOW.getTime() + HOUR_MS));
    expect(firstFileCheckAt('ready', NOW)).toEqual(new Date(NOW.getTime() + DAY_MS));
  });
});
