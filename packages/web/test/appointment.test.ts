import { expect, test } from 'vitest';
import { formatRelative } from '../console/format.ts';
import { sayHowSoon } from '../kit/how-soon.ts';
import { formatAppointment } from '../recorder/appointment.ts';

const CHICAGO = 'America/Chicago';
const at = (instant: string): number => Date.parse(instant);

test('an appointment is shown in its own time zone, with the zone', () => {
  const { day, time } = formatAppointment('2026-11-24T20:00:00Z', CHICAGO);
  expect(day).toBe('Tuesday, November 24');
  // Some versions of the time zone data put a narrow space before AM and PM.
  expect(time.replaceAll(/\s/g, ' ')).toBe('2:00 PM CST');
});

test.each([
  ['2026-11-24T19:30:00Z', 'in 30 minutes'],
  ['2026-11-24T15:00:00Z', 'in 5 hours'],
  ['2026-11-24T05:30:00Z', 'tomorrow'],
  ['2026-11-21T18:00:00Z', 'in 3 days'],
  ['2026-11-25T18:00:00Z', 'yesterday'],
  ['2026-08-24T18:00:00Z', 'in 3 months'],
])('at %s it is %s', (now, words) => {
  expect(sayHowSoon('2026-11-24T20:00:00Z', CHICAGO, at(now))).toBe(words);
});

test('late in the evening, a time after midnight in the appointment’s zone is tomorrow', () => {
  expect(sayHowSoon('2026-11-24T15:00:00Z', CHICAGO, at('2026-11-24T04:00:00Z'))).toBe('tomorrow');
});

test.each([
  ['2026-11-23T19:30:00Z', 'in 2 days'],
  ['2026-11-24T17:50:00Z', 'in 24 hours'],
  ['2026-11-26T22:00:00Z', 'yesterday'],
  ['2026-11-27T05:59:00Z', 'yesterday'],
  ['2026-11-27T06:01:00Z', '2 days ago'],
  ['2026-12-20T18:00:00Z', '4 weeks ago'],
])('in the console, days are those of the organization’s calendar: at %s it is %s', (now, words) => {
  expect(formatRelative('2026-11-25T17:45:00Z', at(now), CHICAGO)).toBe(words);
});
