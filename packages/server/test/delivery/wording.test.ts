import { expect, it } from 'vitest';
import { writeReply } from '../../src/delivery/wording/texts.ts';

it.each([
  ['stop', 'You will get no more text messages from Ames Roofing. Reply START to get them again.'],
  ['start', 'You will get text messages from Ames Roofing again. Reply STOP to opt out.'],
  [
    'help',
    'Ames Roofing: personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.',
  ],
] as const)('the answer to %s names the organization', (keyword, expected) => {
  expect(writeReply({ keyword, organization: 'Ames Roofing', isKnown: true })).toBe(expected);
});

it.each(['stop', 'start', 'help'] as const)('the answer to %s names none where several may be meant', (keyword) => {
  expect(writeReply({ keyword, organization: null, isKnown: true })).not.toMatch(/null|undefined/);
});

it.each(['stop', 'start'] as const)('the answer to a %s that changed nothing says so', (keyword) => {
  const reply = writeReply({ keyword, organization: null, isKnown: false });
  expect(reply).toContain('nothing was changed');
  expect(reply).not.toContain('You will get');
});
