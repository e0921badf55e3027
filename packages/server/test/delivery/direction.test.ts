import { isolated, sentence, withoutDirection } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { renderEmailHtml, renderEmailText } from '../../src/delivery/wording/email.ts';
import {
  type MemberMessage,
  writeMemberEmail,
  writeMemberText,
  writeRecipientText,
} from '../../src/delivery/wording/texts.ts';

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
