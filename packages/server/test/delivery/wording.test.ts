import { expect, test } from 'vitest';
import { writeReply } from '../../src/delivery/wording/texts.ts';

test.each([
  ['stop', 'You have opted out of texts from Ames Roofing. Reply START to get them again.'],
  ['start', 'You will get texts from Ames Roofing again. Reply STOP to opt out.'],
  [
    'help',
    'Ames Roofing: personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.',
  ],
] as const)('the reply to %s names the organization', (keyword, expected) => {
  expect(writeReply({ keyword, organization: 'Ames Roofing', isKnown: true })).toBe(expected);
});

test.each(['stop', 'start', 'help'] as const)(
  'the reply to %s names no organization if several may be meant',
  (keyword) => {
    expect(writeReply({ keyword, organization: null, isKnown: true })).not.toMatch(/null|undefined/);
  },
);

test.each(['stop', 'start'] as const)(
  'the reply to a %s from an unknown number says that nothing was changed',
  (keyword) => {
    const reply = writeReply({ keyword, organization: null, isKnown: false });
    expect(reply).toContain('nothing was changed');
    expect(reply).not.toMatch(/You (will|have)/);
  },
);
