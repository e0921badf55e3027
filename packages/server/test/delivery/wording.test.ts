import { DEFAULT_REPLY_LABELS, isolated, LANGUAGES, measureText, sentence, withoutDirection } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { buildMessage } from '../../src/delivery/carriers/smtp.ts';
import { renderEmailHtml, renderEmailText } from '../../src/delivery/wording/email.ts';
import { wordingIn } from '../../src/delivery/wording/languages/index.ts';
import {
  type MemberMessage,
  plainText,
  writeMemberEmail,
  writeMemberText,
  writeRecipientText,
  writeReply,
  writeReplyEmail,
  writeReplyText,
} from '../../src/delivery/wording/texts.ts';
import { sampleEmails } from './sample-emails.ts';

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
  test('before an appointment says so, whether that is today or in two weeks', () => {
    const appointment = { startsAt: new Date('2026-03-12T19:30:00Z'), timezone: 'America/Chicago' };
    const text = { template: null, values: { ...values, appointment }, link: LINK, isFirst: false };
    expect(writeRecipientText({ ...text, language: 'en' }).body).toContain(
      'a short personal video for you, before you meet. ',
    );
    expect(writeRecipientText({ ...text, language: 'es' }).body).toContain('para usted, antes de su cita. ');
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

const CONTROLS = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
const ANY_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const HOSTILE = `Dana${CONTROLS}moc.live`;
const HEBREW = 'דנה כהן';

const toMember = (recipient: string): MemberMessage => ({
  organization: `Acme\u202e Roofing`,
  language: 'en',
  recipient,
  memberFirstName: `Ana\u202e`,
  purpose: 'ask',
  deadline: null,
  ...{ isAppointment: false, touchpoint: null, isPractice: false },
  link: 'https://go.acme.example/r/x',
});

describe('a name with characters that reorder text', () => {
  test('leaves none of them in a text', () => {
    const values = {
      recipient: { first_name: HOSTILE, last_name: null },
      member: { first_name: HOSTILE, last_name: HOSTILE },
      organization: { name: HOSTILE },
      appointment: null,
      trade: null,
      lane: null,
    };
    const { body } = writeRecipientText({
      template: null,
      language: 'en',
      values,
      link: 'https://go.acme.example/i/x',
      isFirst: true,
    });
    expect(body).toContain('Danamoc.live');
    expect(body).not.toMatch(ANY_CONTROL);
    expect(writeMemberText(toMember(HOSTILE), true)).not.toMatch(ANY_CONTROL);
  });

  test('leaves none of them in an email', () => {
    const email = writeMemberEmail(toMember(HOSTILE));
    expect(renderEmailText(email)).toContain('Danamoc.live');
    expect(renderEmailText(email)).not.toMatch(ANY_CONTROL);
    expect(renderEmailHtml(email, null)).not.toMatch(ANY_CONTROL);
    expect(withoutDirection(email.subject)).toBe('Record a video for Danamoc.live');
  });
});

describe('a name in Hebrew', () => {
  test('is isolated in a sentence as a whole, and cannot end that early', () => {
    expect(sentence`Video from ${`${HEBREW}\u2069\u202e`} today`).toBe(`Video from \u2068${HEBREW}\u2069 today`);
    expect(renderEmailText(writeMemberEmail(toMember(HEBREW)))).toContain(`video for \u2068${HEBREW}\u2069.`);
  });

  test('is unchanged in a text and in a subject', () => {
    expect(writeMemberText(toMember(HEBREW), false)).toContain(`video for ${HEBREW}.`);
    expect(withoutDirection(writeMemberEmail(toMember(HEBREW)).subject)).toBe(`Record a video for ${HEBREW}`);
  });
});

test.each(['Dana Reyes', 'Zoë', '李雷', 'Ωmega'])('%s is not changed', (name) => expect(isolated(name)).toBe(name));

const decode = (text: string): string =>
  Buffer.from(
    text
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const visibleText = (html: string): string =>
  html
    .slice(html.indexOf('<body'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&[a-z0-9#]+;/g, (entity) => ENTITIES[entity] ?? entity);
const wordsOf = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]+/gu));

const EMAILS = LANGUAGES.flatMap((language) =>
  sampleEmails(language).map((email) => ({ ...email, title: `${email.name} (${language})` })),
);

test.each(EMAILS)('$title: text first, then HTML with the same words, and nothing from elsewhere', async (email) => {
  const sender = { from: 'intros@acme.example' };
  const mail = { ...email, id: 'msg_1', to: 'ana@acme.example', fromName: 'Acme', attempt: 1 };
  const source = (await buildMessage(sender, mail)).toString();
  const [head = '', ...parts] = source.split(/\r\n----_NmP[^\r]*\r\n/);
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
  for (const name of ['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Auto-Submitted'])
    expect(headers.match(new RegExp(`^${name}: \\S`, 'gm'))).toHaveLength(1);
  expect(/^List-Unsubscribe: /m.test(headers)).toBe(email.name === 'weekly-summary');
  expect(headers).not.toMatch(/^(Reply-To|Bcc):/m);
  expect(parts.map((part) => /^Content-Type: (\S+);/m.exec(part)?.[1]).filter((type) => type !== undefined)).toEqual([
    'text/plain',
    'text/html',
  ]);
  const [text = '', html = ''] = parts.map((part) => decode(part.slice(part.indexOf('\r\n\r\n'))));
  expect(source.split('\r\n').every((line) => line.length <= 998)).toBe(true);
  expect(html).not.toMatch(/<img|<link|<script|<iframe|@import|url\(|src=/i);
  // Links are visible in the text, and are buttons in the HTML.
  const linkless = text.replaceAll(/https?:\/\/\S+/g, ' ');
  expect([...wordsOf(linkless)].filter((word) => !wordsOf(visibleText(html)).has(word))).toEqual([]);
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
  for (const link of links) expect(text).toContain(link);
});
