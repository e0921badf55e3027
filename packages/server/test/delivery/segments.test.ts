import { describe, expect, test } from 'vitest';
import { measureText, plainText } from '../../src/delivery/wording/segments.ts';
import { writeMemberText, writeRecipientText } from '../../src/delivery/wording/texts.ts';

describe('segments', () => {
  test.each([
    ['a'.repeat(160), 'GSM-7', 160, 1],
    ['a'.repeat(161), 'GSM-7', 161, 2],
    ['a'.repeat(306), 'GSM-7', 306, 2],
    ['a'.repeat(307), 'GSM-7', 307, 3],
    ['{'.repeat(80), 'GSM-7', 160, 1],
    ['€'.repeat(81), 'GSM-7', 162, 2],
    // A letter of two septets is not cut: 76 of them fill a segment of 153.
    ['{'.repeat(153), 'GSM-7', 306, 3],
    ['ë'.repeat(70), 'UCS-2', 70, 1],
    ['ë'.repeat(71), 'UCS-2', 71, 2],
    ['👍'.repeat(35), 'UCS-2', 70, 1],
    ['👍'.repeat(67), 'UCS-2', 134, 3],
    ['', 'GSM-7', 0, 1],
  ])('%#: as carriers count them', (text, encoding, units, segments) => {
    expect(measureText(text)).toEqual({ encoding, units, segments });
  });
});

describe('GSM-7 is kept where nothing is lost', () => {
  test('marks become the plain ones', () => {
    const text = plainText('“Ana’s” visit – Thursday\u202f2:30… «ok»\u200b');
    expect(text).toBe('"Ana\'s" visit - Thursday 2:30... "ok"');
    expect(measureText(text).encoding).toBe('GSM-7');
  });
  test('names stay as they are spelled, and accents that were apart come together', () => {
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
  writeRecipientText({ template, values, link: LINK, isFirst });

describe('a text to a recipient', () => {
  test('says the organization, how to opt out the first time, and the link last; one segment', () => {
    const { body } = write(null, true);
    expect(body).toBe(
      `Hi Dana, Ana from Acme Roofing has a short personal video for you. Reply STOP to opt out. ${LINK}`,
    );
    expect(measureText(body).segments).toBe(1);
  });
  test('a template of the touchpoint is rendered as scripts are, and named when it names nobody', () => {
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
  ])('the name %j in %j counts as a word of its own: %j', (name, template, isNamed) => {
    const named = { ...values, organization: { name } };
    const { body } = writeRecipientText({ template, values: named, link: LINK, isFirst: false });
    expect(body.startsWith(`${name}: `)).toBe(!isNamed);
  });
  test.each(['{{ nobody.name }}', '{% if %}', 'x'.repeat(501), '{{ trade }}'])(
    'a template that cannot be rendered gives way to the usual words: %#',
    (template) => {
      const { body, problem } = write(template);
      expect(body).toBe(write(null).body);
      expect(problem).not.toBeNull();
    },
  );
});

test('a text to a member without a deadline says nothing of one', () => {
  const word = { organization: 'Acme', recipient: 'Dana', memberFirstName: 'Ana', deadline: null, link: LINK };
  expect(writeMemberText({ ...word, purpose: 'ask' }, false)).toBe(
    `Acme: Please record a short video for Dana. ${LINK}`,
  );
});
