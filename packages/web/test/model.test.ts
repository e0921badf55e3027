import type { RecorderState } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { firstPhase, followState, type Phase, settledRecording } from '../recorder/model.ts';
import { exampleState, exampleTake } from './fake-server.ts';

type Recording = NonNullable<RecorderState['recording']>;

function stateWith(status: Recording['status'], id = 'rec_2', intro: Partial<RecorderState['intro']> = {}) {
  return { ...exampleState(intro), recording: exampleTake(status, { id, message: 'Record it again.' }) };
}

test.each([
  ['uploading', 'start'],
  ['checking', 'processing'],
  ['processing', 'processing'],
  ['ready', 'done'],
  ['refused', 'refused'],
] as const)('a page opened while the newest take is %s starts at %s', (status, at) => {
  expect(firstPhase(stateWith(status)).at).toBe(at);
});

describe('a state update from the server', () => {
  const waits: Phase = { at: 'sending' };
  const records: Phase = { at: 'saving' };

  test('moves a phase that waits for it', () => {
    expect(followState(waits, stateWith('processing'), null).at).toBe('processing');
    expect(followState(waits, stateWith('ready'), null).at).toBe('done');
    expect(followState(waits, stateWith('refused'), null)).toEqual({
      at: 'refused',
      message: 'Record it again.',
      note: null,
    });
  });

  test('about an earlier take changes nothing', () => {
    expect(followState(waits, stateWith('ready', 'rec_1'), 'rec_1')).toBe(waits);
    expect(followState(records, stateWith('ready'), null)).toBe(records);
    expect(followState(records, stateWith('refused'), null)).toBe(records);
  });

  test('that the intro was sent ends every phase except a closed link', () => {
    expect(followState(records, stateWith('ready', 'rec_1', { status: 'sent' }), 'rec_1').at).toBe('done');
    const closed: Phase = { at: 'closed', why: 'cancelled', take: null, to: null };
    expect(followState(closed, stateWith('ready', 'rec_1', { status: 'sent' }), null)).toBe(closed);
  });
});

test('only a settled take counts as an earlier one', () => {
  expect(settledRecording(stateWith('ready'))).toBe('rec_2');
  expect(settledRecording(stateWith('uploading'))).toBe(null);
  expect(settledRecording(exampleState())).toBe(null);
});
