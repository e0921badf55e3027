import { DELIVERY_FAILURES, measureText } from '@foreword/contract';
import { expiryOfReady, type NewIntroRow, readAppointment } from '../../intros/index.ts';
import { findCurrentHost } from '../../link-domains/index.ts';
import type { Links } from '../../links/index.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { MemberRow, OrganizationRow, Tables, Tenant, TouchpointRow } from '../../tables.ts';
import { type TemplateValues, textMessageIn } from '../../touchpoints/index.ts';
import type { Carriers } from '../carriers/index.ts';
import { isCountryAllowed } from '../limits/rules.ts';
import { type Reason, recipientHours } from '../queue/hours.ts';
import { channelsFor, type Decision, decideRecipientMessage, type Reminder, remindersFor } from '../queue/rules.ts';
import { flagOf, readNumberHistory } from '../store/numbers.ts';
import { readAccount, readHours, readTextSettings } from '../store/settings.ts';
import { writeRecipientText } from '../wording/texts.ts';

export interface DryRunIntro {
  readonly row: NewIntroRow;
  readonly values: TemplateValues;
  readonly isRecipientOptedOut: boolean;
  readonly touchpoint: Pick<TouchpointRow, 'slug' | 'text_message' | 'text_message_es' | 'reminds'>;
  readonly member: Pick<MemberRow, 'phone' | 'notify_by' | 'email' | 'bounced_email'>;
  readonly organization: Pick<OrganizationRow, 'timezone'>;
}

export interface DeliveryDryRun {
  /** How the member would be notified. */
  readonly channels: readonly ('text' | 'email')[];
  readonly isMemberOptedOut: boolean;
  readonly reminders: readonly Reminder[];
  readonly isRecipientOptedOut: boolean;
  /** The appointment's time zone, otherwise the organization's. */
  readonly timezone: string;
  /** The hours that decide when the text is sent. */
  readonly hours: Reason;
  /** For the recipient's text, if the video were recorded now. */
  readonly decision: Decision;
  readonly text: { readonly body: string; readonly segments: number; readonly problem: string | null };
}

const NO_PROVIDER: Decision = {
  kind: 'fail',
  code: 'no_text_provider',
  message: DELIVERY_FAILURES.no_text_provider,
};

function writeText({ row, values, touchpoint }: DryRunIntro, isFirst: boolean, link: string) {
  const { recipient_language: language } = row;
  const template = textMessageIn(language, touchpoint);
  const { body, problem } = writeRecipientText({ template, language, values, link, isFirst });
  const shown = body.replace(link, `${link.slice(0, link.lastIndexOf('/'))}/…`);
  return { body: shown, segments: measureText(body).segments, problem: problem?.message ?? null };
}

/** The messages of an intro that does not exist, by the same rules: to its member, and after recording. */
export async function dryRunDelivery(
  { db, links, carriers }: { db: Database<Tables>; links: Links; carriers: Carriers },
  tenant: Tenant,
  intro: DryRunIntro,
): Promise<DeliveryDryRun> {
  const { row, member, touchpoint, organization } = intro;
  const { recipient_phone: phone, created_at: now, expires_at: deadline } = row;
  const numbers = { recipient: phone, member: member.phone, touchpoint: touchpoint.slug };
  const [hours, account, countries, history, linkHost] = await Promise.all([
    readHours(db.kysely, tenant),
    readAccount(db.kysely, tenant),
    readTextSettings(db.kysely, tenant),
    readNumberHistory(db.pool, tenant, numbers),
    findCurrentHost(db.kysely, tenant),
  ]);
  // A link of realistic length, for the number of segments. It opens nothing, so it is not shown.
  const link = links.pageUrl(newId('int', now), linkHost);
  const appointment = readAppointment(row.context?.appointment ?? undefined);
  const timezone = appointment?.timezone ?? organization.timezone;
  const isAppointment = appointment?.startsAt.getTime() === deadline.getTime();
  const route = carriers.routeOfText(phone, { hasOwnAccount: account !== null });
  const sendingHours = recipientHours(phone, hours, timezone);
  const decision = decideRecipientMessage(
    {
      intro: { status: 'ready', expiresAt: expiryOfReady(now), isTakenDown: false, createdAt: now },
      isResend: false,
      requestedAt: null,
      appointment,
      hours: sendingHours,
      reachesPhone: route === 'provider',
      isCountryAllowed: isCountryAllowed(phone, { ...countries, timezone: organization.timezone }),
      isTestRecording: false,
      isOptedOut: intro.isRecipientOptedOut,
      flag: flagOf(history),
      lastTextAt: history.last_text_at,
      lastTextPendingUntil: null,
    },
    now,
  );
  const reminders = touchpoint.reminds
    ? remindersFor({ createdAt: now, deadline, isAppointment, timezone: organization.timezone, hours })
    : [];
  return {
    channels: channelsFor(member.notify_by, {
      canText: member.phone !== null && !history.is_member_opted_out,
      canEmail: member.bounced_email !== member.email.toLowerCase(),
    }),
    isMemberOptedOut: history.is_member_opted_out,
    reminders: reminders.filter(({ at }) => at > now),
    isRecipientOptedOut: intro.isRecipientOptedOut,
    timezone,
    hours: sendingHours.explain(decision.kind === 'wait' ? decision.until : now),
    decision: decision.kind === 'send' && route === 'none' ? NO_PROVIDER : decision,
    text: writeText(intro, !history.is_known_number, link),
  };
}
