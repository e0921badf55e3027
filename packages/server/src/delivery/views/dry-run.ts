import { DELIVERY_FAILURES, measureText } from '@foreword/contract';
import type { Database, Row, Tenant } from '../../db/tenancy.ts';
import { expiryOfReady, type NewIntroRow, readAppointment } from '../../intros/index.ts';
import type { Links } from '../../intros/links/index.ts';
import { findCurrentHost } from '../../organizations/link-domains/index.ts';
import { newId } from '../../platform/ids.ts';
import { type TemplateValues, textMessageIn } from '../../touchpoints/index.ts';
import type { Carriers } from '../carriers/index.ts';
import { decide, hoursOf, remindersOf } from '../queue/decide.ts';
import { recipientHours } from '../queue/hours.ts';
import { channelsFor, type Decision } from '../queue/rules.ts';
import { readNumber, readOrganization } from '../store/context.ts';
import { newMessage } from '../store/queue.ts';
import { writeRecipientText } from '../wording/texts.ts';

interface DryRunIntro {
  readonly row: NewIntroRow;
  readonly values: TemplateValues;
  readonly isRecipientOptedOut: boolean;
  readonly touchpoint: Pick<
    Row<'touchpoints'>,
    'slug' | 'text_message' | 'text_message_es' | 'reminds' | 'invites_to_save'
  >;
  readonly member: Pick<Row<'members'>, 'phone' | 'notify_by' | 'email' | 'bounced_email'>;
}

export type DeliveryDryRun = Awaited<ReturnType<typeof dryRunDelivery>>;

const NO_PROVIDER: Decision = {
  kind: 'fail',
  code: 'no_text_provider',
  message: DELIVERY_FAILURES.no_text_provider,
};

function writeText({ row, values, touchpoint }: DryRunIntro, isFirst: boolean, link: string) {
  const { recipient_language: language } = row;
  const template = textMessageIn(language, touchpoint);
  const { body, problem } = writeRecipientText({
    ...{ template, language, values, link, isFirst },
    invites: touchpoint.invites_to_save,
  });
  const shown = body.replace(link, `${link.slice(0, link.lastIndexOf('/'))}/…`);
  return { body: shown, segments: measureText(body).segments, problem: problem?.message ?? null };
}

/** The messages of an intro that does not exist, by the same rules: to its member, and after recording. */
export async function dryRunDelivery(
  { db, links, carriers }: { db: Database; links: Links; carriers: Carriers },
  tenant: Tenant,
  intro: DryRunIntro,
) {
  const { row, member, touchpoint, isRecipientOptedOut } = intro;
  const { recipient_phone: phone, created_at: now } = row;
  const introId = newId('int', now);
  const [organization, known, memberNumber, linkHost] = await Promise.all([
    readOrganization(db.kysely, tenant),
    readNumber(db.kysely, tenant, phone, touchpoint.slug),
    readNumber(db.kysely, tenant, member.phone, ''),
    findCurrentHost(db.kysely, tenant),
  ]);
  // A link of realistic length, for the number of segments. It opens nothing, so it is not shown.
  const link = links.pageUrl(introId, linkHost);
  const appointment = readAppointment(row.context?.appointment ?? undefined);
  const textRoute = carriers.routeOfText(phone, { hasOwnAccount: organization.twilio_account !== null });
  const text = { intro_id: introId, audience: 'recipient', purpose: 'deliver', channel: 'text', round: 0 } as const;
  const recorded = {
    ...row,
    ...({ status: 'ready', expires_at: expiryOfReady(now), link_host: linkHost, link_generation: 0 } as const),
    ...{ is_declined: false, is_take_processing: false, is_test_recording: false, is_practice: false },
    ...{ recipient_opted_out: isRecipientOptedOut, delivery_error_code: null, likeness_withdrawn_at: null },
    ...{ taken_down_at: null, is_video_removed: false, sent_at: null, opened_at: null },
  };
  const number = {
    ...known,
    is_opted_out: isRecipientOptedOut,
    undo_since: null,
    asked_at: null,
    last_text_pending_until: null,
  };
  const message = newMessage(tenant, text, now);
  const active = { active: true, is_likeness_withdrawn: false };
  const decision = decide(
    { message, intro: recorded, member: active, organization, appointment, number, textRoute },
    now,
  );
  const timezone = appointment?.timezone ?? organization.timezone;
  const reminders = touchpoint.reminds ? remindersOf({ intro: row, organization, appointment }) : [];
  return {
    /** How the member would be notified. */
    channels: channelsFor(member.notify_by, {
      canText: member.phone !== null && !memberNumber.is_opted_out,
      canEmail: member.bounced_email !== member.email.toLowerCase(),
    }),
    isMemberOptedOut: memberNumber.is_opted_out,
    reminders: reminders.filter(({ at }) => at > now),
    isRecipientOptedOut,
    /** The appointment's time zone, otherwise the organization's. */
    timezone,
    /** The hours that decide when the text is sent. */
    hours: recipientHours(phone, hoursOf(organization), timezone).explain(
      decision.kind === 'wait' ? decision.until : now,
    ),
    /** For the recipient's text, if the video were recorded now. */
    decision: decision.kind === 'send' && textRoute === 'none' ? NO_PROVIDER : decision,
    text: writeText(intro, !known.is_known, link),
  };
}
