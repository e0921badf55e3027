import { measureText } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { plainText, writeMemberText, writeRecipientText } from '../../src/delivery/wording/texts.ts';

describe('segments', () => {
  test.each([
    ['a'.repeat(160), 'GSM-7', 160, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2],
    ['a'.repeat(307), 'GSM-7', 307, 3],
    ['{'.repeat(80), 'GSM-7', 160, 1],
    ['€'.repeat(81), 'GSM-7', 162, 2],
    // A character of two septets is not split: 76 of them fill a segment of 153.
    ['{'.repeat(153), 'GSM-7', 306, 3],
    ['ë'.repeat(70), 'UCS-2', 70, 1],
    ['ë'.repeat(71), 'UCS-2', 71, 2],
    ['👍'.repeat(35), 'UCS-2', 70, 1],
    ['👍'.repeat(67), 'UCS-2', 134, 3],
    ['', 'GSM-7', 0, 1],
  ])('are counted as carriers do: %#', (text, encoding, units, segments) => {
    expect(measureText(text)).toMatchObject({ encoding, units, segments });
  });

  test.each([
    ['Zoë, Zoë and Søren', ['ë']],
    ['It’s “now” – 5 €', ['’', '“', '”', '–']],
    // One emoji of several characters.
    ['A family: 👨‍👩‍👧', ['👨‍👩‍👧']],
    ['Ünal paid 5 €: {ok}', []],
    ['', []],
  ])('name each character outside GSM-7 once, as it is shown: %j', (text, outsideGsm) => {
    expect(measureText(text).outsideGsm).toEqual(outsideGsm);
  });
});

describe('plainText', () => {
  test('replaces punctuation by its GSM-7 lookalikes', () => {
    const text = plainText('“Ana’s” visit – Thursday\u202f2:30… «ok»\u200b');
    expect(text).toBe('"Ana\'s" visit - Thursday 2:30... "ok"');
    expect(measureText(text).encoding).toBe('GSM-7');
  });
  test('keeps the spelling of names, and composes accents', () => {
    expect(plainText('Zoë Nuñez')).toBe('Zoë Nuñez');
    expect(plainText('Jose\u0301')).toBe('José');
    expect(measureText(plainText('Bjo\u0308rn')).encoding).toBe('GSM-7');
  });
});

const values = {
  recipient: { first_name: 'Dana', last_name: null },
  member: { first_name: 'Ana', last_name: 'Ng' },
  organization: { name: 'Acme Roofing' },
  appointment: null,
  trade: null,
  lane: null,
};
const LINK = 'https://go.acme.example/i/AAAAAAAAAAAA';
const write = (template: string | null, isFirst = false) =>
  writeRecipientText({ template, language: 'en', values, link: LINK, isFirst });

describe('a text to a recipient', () => {
  test('has the organization, how to opt out the first time, and the link at the end, in one segment', () => {
    const { body } = write(null, true);
    expect(body).toBe(
      `Hi Dana, Ana from Acme Roofing has a short personal video for you. Reply STOP to opt out. ${LINK}`,
    );
    expect(measureText(body).segments).toBe(1);
  });
  test.each([
    ['en', 'Save this number so that our texts reach you. Reply STOP to opt out.', true],
    ['es', 'Guarde este contacto para recibir nuestros mensajes. Responda STOP para no recibir mensajes.', true],
    ['en', 'Save this number', false],
  ] as const)(
    'invites to save the number, if the touchpoint does, only in a first text, in GSM-7: %s',
    (language, words, isFirst) => {
      const text = { template: null, language, values, link: LINK, isFirst };
      const invited = writeRecipientText({ ...text, invites: true }).body;
      expect(invited.includes(words)).toBe(isFirst);
      expect(measureText(invited).segments).toBeLessThanOrEqual(2);
      expect(writeRecipientText({ ...text, invites: false }).body).not.toMatch(/Save|Guarde/);
    },
  );
  test("uses the touchpoint's template, and adds the organization's name if it is missing", () => {
    expect(write('{{ recipient.first_name }}: see {{ member.first_name }}').body).toBe(
      `Acme Roofing: Dana: see Ana ${LINK}`,
    );
    expect(write('From {{ organization.name }}').body).toBe(`From Acme Roofing ${LINK}`);
  });
  test.each([
    ['Acme', 'Your roof is Acmeable', false],
    ['Acme', 'MacAcme, and Acme2', false],
    ['Acme', "Acme's crew is on its way", true],
    ['Acme', 'On its way (Acme).', true],
    ['Čeněk', 'Z Čeňku, Čeněkova', false],
    ['Дом', 'Ваш Домик готов', false],
    ['Дом', 'Это «Дом»', true],
    ['Roof (Co.) +1', 'From Roof (Co.) +1: hi', true],
    ['Roof.Co', 'Roofing RoofXCo', false],
    ['Jose', 'Jose\u0301 is near', false],
  ])('finds the name %j in %j as a separate word: %j', (name, template, isNamed) => {
    const named = { ...values, organization: { name } };
    const { body } = writeRecipientText({ template, language: 'en', values: named, link: LINK, isFirst: false });
    expect(body.startsWith(`${name}: `)).toBe(!isNamed);
  });
  test.each(['{{ unknown.name }}', '{% if %}', 'x'.repeat(501), '{{ trade }}'])(
    'falls back to the default if the template cannot be rendered: %#',
    (template) => {
      const { body, problem } = write(template);
      expect(body).toBe(write(null).body);
      expect(problem).not.toBeNull();
    },
  );
});

test('a text to a member names the occasion, the deadline if there is one, and the link', () => {
  const message = {
    organization: 'Acme',
    language: 'en',
    recipient: 'Dana',
    memberFirstName: 'Ana',
    deadline: null,
    ...{ isAppointment: false, touchpoint: null, isPractice: false },
    link: LINK,
  } as const;
  expect(writeMemberText({ ...message, purpose: 'ask' }, false)).toBe(
    `Acme: Please record a short video for Dana. Can't? Reply NO. ${LINK}`,
  );
  const deadline = { at: new Date('2026-03-12T19:30:00Z'), timezone: 'America/Chicago' };
  const due = { ...message, deadline, purpose: 'ask' } as const;
  expect(writeMemberText(due, true)).toBe(
    `Acme: Please record a short video for Dana by Thu, Mar 12, 2:30 PM CDT. Can't? Reply NO. Reply STOP to opt out. ${LINK}`,
  );
  expect(writeMemberText({ ...due, isAppointment: true }, false)).toBe(
    `Acme: Please record a short video for Dana's appointment on Thu, Mar 12, 2:30 PM CDT. Can't? Reply NO. ${LINK}`,
  );
  expect(writeMemberText({ ...due, touchpoint: 'Job complete' }, false)).toBe(
    `Acme: Please record a short video for Dana (Job complete) by Thu, Mar 12, 2:30 PM CDT. Can't? Reply NO. ${LINK}`,
  );
  // The name of the touchpoint never costs a segment.
  for (const touchpoint of ['x'.repeat(90), 'Trabajo listo ✓']) {
    const text = writeMemberText({ ...due, touchpoint }, true);
    expect(text).not.toContain(touchpoint);
    expect(measureText(text).segments).toBe(1);
  }
  expect(writeMemberText({ ...due, isPractice: true }, false)).toBe(
    `Welcome, Ana! You'll record short videos for customers of Acme. Try it: no customer gets this one. ${LINK}`,
  );
});
