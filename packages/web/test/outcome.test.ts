import type { RecorderState } from '@foreword/contract';
import { expect, test } from 'vitest';
import { outcomeOf } from '../recorder/outcome.ts';
import { exampleState } from './fake-server.ts';

type Intro = RecorderState['intro'];

const NOW = Date.parse('2026-11-24T03:30:00Z');
const TEXT = { due_at: null, reason: null, timezone: 'America/Chicago', problem: null } as const;

const say = (intro: Partial<Intro>) => outcomeOf(exampleState({ delivery: 'service', status: 'ready', ...intro }), NOW);

test('a text that waits for the morning is announced with its time and zone, and claims nothing', () => {
  const { heading, body, offersLink } = say({
    text: { ...TEXT, status: 'scheduled', due_at: '2026-11-24T14:00:00Z', reason: 'quiet_hours' },
  });
  expect(heading).toBe('Your video is ready');
  expect(body.replaceAll(/\s/g, ' ')).toContain('Dana will get the link by text message tomorrow at 8:00 AM CST.');
  expect(offersLink).toBe(false);
  expect(say({ text: null })).toMatchObject({ tone: 'waiting', offersLink: false });
});

test.each([
  ['not_sent', { code: 'no_text_provider', message: 'Not sent: no text provider is connected.' }, 'no text provider'],
  ['not_delivered', { code: 'undelivered', message: 'The carrier could not deliver it.' }, 'could not deliver'],
] as const)(
  'a text that is %s gives the reason and offers the link, even once the intro counts as sent',
  (status, problem, reason) => {
    for (const introStatus of ['ready', 'sent'] as const) {
      const outcome = say({ status: introStatus, text: { ...TEXT, status, problem } });
      expect(outcome).toMatchObject({ tone: 'bad', offersLink: true });
      expect(outcome.body).toContain(reason);
      expect(outcome.heading).toMatch(/not (sent|delivered)/);
    }
  },
);

test('the link is not offered for a recipient who opted out', () => {
  const problem = { code: 'recipient_opted_out', message: 'The recipient has opted out of text messages.' };
  expect(say({ text: { ...TEXT, status: 'not_sent', problem } })).toMatchObject({ tone: 'bad', offersLink: false });
});

test('a text that the appointment stopped can be sent anyway', () => {
  const problem = { code: 'appointment_over', message: 'The appointment had started.' };
  expect(say({ text: { ...TEXT, status: 'not_sent', problem } })).toMatchObject({ offersLink: true, offersText: true });
});

test('sent, delivered and opened have different headings, and marking as sent is not called delivery', () => {
  const sent = { status: 'sent' } as const;
  expect(say({ ...sent, text: { ...TEXT, status: 'sent' } }).heading).toBe('Your video was sent');
  expect(say({ ...sent, text: { ...TEXT, status: 'delivered' } }).heading).toBe('Your video was delivered');
  expect(say({ ...sent, text: { ...TEXT, status: 'by_hand' } }).body).toContain('marked it as sent');
  expect(say({ ...sent, opened: true, text: { ...TEXT, status: 'by_hand' } }).heading).toBe('Your video was opened');
});

test('a text to a test number is simulated, which is no problem', () => {
  const outcome = say({ status: 'sent', text: { ...TEXT, status: 'simulated' } });
  expect(outcome).toMatchObject({ heading: 'Simulated: test number', tone: 'calm', offersLink: true });
  expect(outcome.body).toContain('no text message was sent');
});
