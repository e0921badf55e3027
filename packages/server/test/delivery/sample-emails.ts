import type { Language } from '@foreword/contract';
import type { Row } from '../../src/db/tenancy.ts';
import type { Mail } from '../../src/delivery/carriers/carrier.ts';
import {
  type Email,
  type EmailWithLink,
  renderEmailHtml,
  renderEmailText,
  withButton,
  writeDailyLimit,
  writeDeclinedIntro,
  writeDisabledEndpoint,
  writeExpiringKey,
  writeSignIn,
  writeSummary,
  writeTextsPaused,
} from '../../src/delivery/wording/email.ts';
import { writeMemberEmail, writeReplyEmail } from '../../src/delivery/wording/texts.ts';

const URL = 'https://intros.acme.example';
const INTRO = `${URL}/console/intros/int_01kahzv8e1f0rtx5m2q6n9d3bw`;
const DEADLINE = new Date('2026-06-17T17:00:00Z');
const TIMEZONE = 'America/Chicago';
const ORGANIZATION = 'Acme Exteriors & Söhne';

type Sample = Pick<Mail, 'subject' | 'text' | 'html' | 'unsubscribeUrl'> & { readonly name: string };

const toSample = (name: string, email: Email | EmailWithLink): Sample => ({
  name,
  subject: email.subject,
  text: renderEmailText(email),
  html: () => renderEmailHtml(email, null),
});

function summary(language: Language): Sample {
  const organization = { name: ORGANIZATION, timezone: TIMEZONE, language };
  const longest = ['Dana Reyes', 'Bartholomew Featherstonehaugh-Cholmondeley'].map((recipient) => ({
    ...{ id: 'int_01kahzv8e1f0rtx5m2q6n9d3bw', recipient, member: 'Ana Ng', since: '2026-06-02T17:00:00Z' },
  }));
  const figures = {
    requested: { now: 1300, before: 1100 },
    sent: { now: 1204, before: 980 },
    watched: { now: 872, before: 872 },
    answered: { now: 61, before: 70 },
    waiting: { now: 2, before: 0 },
    longest,
  };
  const offUrl = `${URL}/weekly-summary/off/org_01kahzv8e1f0rtx5m2q6n9d3bw.mem_01kahzv8e1f0rtx5m2q6n9d3bw.${'x'.repeat(43)}`;
  const written = {
    organization,
    ownerFirstName: 'Ana',
    first: '2026-06-01',
    last: '2026-06-07',
    figures,
    offUrl,
    consoleUrl: `${URL}/console`,
  };
  return {
    name: 'weekly-summary',
    ...writeSummary(written),
    unsubscribeUrl: offUrl,
  };
}

function ownerEmails(language: Language): Sample[] {
  const to = { ownerFirstName: 'Ana', organization: { name: ORGANIZATION, timezone: TIMEZONE, language } };
  const endpoint = {
    id: 'whk_01kahzv8e1f0rtx5m2q6n9d3bw',
    url: `https://crm.acme.example/${'hooks/'.repeat(12)}foreword`,
  };
  const key = { name: 'CRM', ending: 'x9Kd', expires_at: DEADLINE, created_at: DEADLINE, last_used_at: DEADLINE };
  const names = {
    recipient_first_name: 'Dana',
    recipient_last_name: 'Reyes',
    member_first_name: 'Bo',
    member_last_name: 'Li',
  };
  const declined = { reason: 'away', message: 'I am on site until Friday.' } as const;
  return [
    toSample('webhook-disabled', writeDisabledEndpoint(to, { endpoint, reason: 'failing' })),
    // The columns that the email shows.
    toSample('key-expires', writeExpiringKey(to, key as Row<'api_keys'>)),
    toSample('texts-paused', writeTextsPaused(to, 'burst', `${URL}/console/organization/texting`)),
    toSample('daily-limit', writeDailyLimit(to, { member: null, limit: 1000 }, `${URL}/console/organization/texting`)),
    toSample('intro-declined', withButton(writeDeclinedIntro(to, { ...names, expires_at: DEADLINE }, declined, INTRO))),
  ];
}

/** One email of each kind, with long names and long addresses. */
export function sampleEmails(language: Language): Sample[] {
  const organization = { name: ORGANIZATION, timezone: TIMEZONE, language };
  const member = {
    ...{ organization: ORGANIZATION, language, recipient: 'Dana Reyes', memberFirstName: 'Ana' },
    deadline: { at: DEADLINE, timezone: TIMEZONE },
    ...{ isAppointment: true, touchpoint: 'New appointment', isPractice: false },
    link: `${URL}/r/a51DxCaXLcUfdz74jJRZ77`,
  };
  const reply = {
    ...{
      ...member,
      recipientFirstName: 'Dana',
      recipientPhone: '+14155550123',
      label: 'I have a question',
      isText: false,
      link: INTRO,
    },
    message: 'Do I have to be at home?\nAnd how long does it take?',
  };
  return [
    toSample(
      'sign-in',
      writeSignIn({ organization, first_name: 'Ana', language }, `${URL}/console/signin/${'x'.repeat(43)}`),
    ),
    toSample('request', writeMemberEmail({ ...member, purpose: 'ask' })),
    toSample('reminder', writeMemberEmail({ ...member, purpose: 'remind' })),
    toSample('practice', writeMemberEmail({ ...member, purpose: 'ask', isPractice: true })),
    toSample('reply', writeReplyEmail(reply)),
    ...ownerEmails(language),
    summary(language),
  ];
}
