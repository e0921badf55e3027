import { DEFAULT_REPLY_LABELS, measureText } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { renderEmailHtml, renderEmailText } from '../../src/delivery/wording/email.ts';
import { wordingIn } from '../../src/delivery/wording/languages/index.ts';
import {
  writeMemberEmail,
  writeMemberText,
  writeRecipientText,
  writeReply,
  writeReplyEmail,
  writeReplyText,
} from '../../src/delivery/wording/texts.ts';

test.each([
  ['stop', 'You have opted out of texts from Ames Roofing. Reply START to get them again.'],
  ['start', 'You will get texts from Ames Roofing again. Reply STOP to opt out.'],
  [
    'help',
    'Ames Roofing: personal video messages about your appointment or project. Reply STOP to opt out. Questions? Call our office.',
  ],
] as const)('the reply to %s names the organization', (keyword, expected) => {
  expect(writeReply({ keyword, language: 'en', organization: 'Ames Roofing', isKnown: true })).toBe(expected);
});

test.each(['stop', 'start', 'help'] as const)(
  'the reply to %s names no organization if several may be meant',
  (keyword) => {
    expect(writeReply({ keyword, language: 'en', organization: null, isKnown: true })).not.toMatch(/null|undefined/);
  },
);

test.each(['stop', 'start'] as const)(
  'the reply to a %s from an unknown number says that nothing was changed',
  (keyword) => {
    const reply = writeReply({ keyword, language: 'en', organization: null, isKnown: false });
    expect(reply).toContain('nothing was changed');
    expect(reply).not.toMatch(/You (will|have)/);
  },
);

describe('texts in Spanish', () => {
  const values = {
    recipient: { first_name: 'Rosa', last_name: null },
    member: { first_name: 'Ana', last_name: 'Ng' },
    organization: { name: 'Techos Acme' },
    appointment: { startsAt: new Date('2026-03-14T19:30:00Z'), timezone: 'America/Chicago' },
    trade: null,
    lane: null,
  };
  const link = 'https://go.acme.example/i/AAAAAAAAAAAA';
  const member = {
    organization: 'Techos Acme',
    language: 'es',
    recipient: 'Rosa Silva',
    memberFirstName: 'Ana',
    deadline: { at: new Date('2026-03-14T19:30:00Z'), timezone: 'America/Chicago' },
    ...{ isAppointment: true, touchpoint: 'New appointment', isPractice: false },
    link,
  } as const;
  const reply = {
    ...member,
    recipientFirstName: 'Rosa',
    recipientPhone: '+14155550123',
    label: DEFAULT_REPLY_LABELS.es.question,
    isText: false,
    message: null,
  };
  const keywords = (['stop', 'start', 'help'] as const).flatMap((keyword) =>
    ([null, 'Techos Acme'] as const).map(
      (organization) => ({ keyword, organization, language: 'es', isKnown: true }) as const,
    ),
  );

  test('to a recipient and a member fit GSM-7, even on a Saturday', () => {
    const texts = [
      writeRecipientText({ template: null, language: 'es', values, link, isFirst: true }).body,
      writeMemberText({ ...member, purpose: 'ask' }, true),
      writeMemberText({ ...member, purpose: 'remind' }, false),
      writeMemberText({ ...member, purpose: 'ask', isPractice: true }, true),
      writeReplyText(reply, false),
      ...flatten(wordingIn('es').inbound),
      wordingIn('es').helpForMember('Techos Acme'),
      ...[...keywords, { keyword: 'stop', organization: null, language: 'es', isKnown: false } as const].map(
        writeReply,
      ),
    ];
    for (const text of texts) expect(measureText(text), text).toMatchObject({ encoding: 'GSM-7' });
    expect(texts[0]).toBe(
      `Hola, Rosa: Ana, de Techos Acme, tiene un breve video personal para usted, antes de su cita. Responda STOP para no recibir mensajes. ${link}`,
    );
    expect(texts[1]).toContain('graba un video corto para la cita de Rosa Silva. Es el 14 mar, 2:30 p.m. CDT.');
  });

  test('write dates and trades of a template in Spanish', () => {
    const template = '{{ organization.name }}: {{ appointment }}. {{ trade }}';
    const at = (startsAt: string) => ({ startsAt: new Date(startsAt), timezone: 'America/Chicago' });
    const write = (startsAt: string) =>
      writeRecipientText({
        template,
        language: 'es',
        values: { ...values, trade: 'windows', appointment: at(startsAt) },
        link,
        isFirst: false,
      }).body;
    expect(write('2026-03-14T19:30:00Z')).toContain('sábado 14 de marzo a las 2:30 PM. ventanas');
    expect(write('2026-03-11T18:05:00Z')).toContain('miércoles 11 de marzo a la 1:05 PM.');
  });

  test('in emails say everything in Spanish, with the language of the document', () => {
    for (const email of [writeMemberEmail({ ...member, purpose: 'ask' }), writeReplyEmail(reply)]) {
      expect(renderEmailHtml(email, null)).toContain('<html lang="es">');
      expect(renderEmailText(email)).not.toMatch(/\b(the|your|hi|video for|replied|record|reminder)\b/i);
    }
  });

  const flatten = (texts: object): string[] =>
    Object.values(texts).flatMap((text: unknown) =>
      typeof text === 'function'
        ? [String(text(...Array(text.length).fill('x')))]
        : typeof text === 'object' && text !== null
          ? flatten(text)
          : [String(text)],
    );

  test('are all translated', () => {
    const [english, spanish] = [flatten(wordingIn('en')), flatten(wordingIn('es'))];
    expect(spanish.length).toBe(english.length);
    // The request without a deadline is complete in Spanish.
    expect(spanish.filter((text) => text !== 'x' && english.includes(text))).toEqual([]);
  });
});
