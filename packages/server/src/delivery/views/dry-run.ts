import { expiryOfReady, type IntroDraft } from '../../intros/index.ts';
import type { Links } from '../../links/index.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { MemberRow, OrganizationRow, Tables, Tenant, TouchpointRow } from '../../tables.ts';
import type { TemplateValues } from '../../touchpoints/index.ts';
import { channelsFor, judgeForRecipient, type Reminder, remindersFor, type Verdict } from '../queue/rules.ts';
import { ARRIVED } from '../store/messages.ts';
import { readHours } from '../store/settings.ts';
import { measureText } from '../wording/segments.ts';
import { writeToRecipient } from '../wording/texts.ts';

/** What is known of two numbers. */
const NUMBERS = {
  name: 'rehearse a delivery',
  text: `
select
  exists (select from opt_outs
    where organization_id = $1 and environment = $2 and phone = $3 offset 0) as is_opted_out,
  exists (select from opt_outs
    where organization_id = $1 and environment = $2 and phone = $4 offset 0) as is_member_opted_out,
  exists (select from messages
    where organization_id = $1 and environment = $2 and address = $3 and ${ARRIVED} offset 0) as is_known_number,
  (select texted_at from texted_numbers
    where organization_id = $1 and environment = $2 and phone = $3 and touchpoint = $5) as last_text_at`,
};

interface Numbers {
  readonly is_opted_out: boolean;
  readonly is_member_opted_out: boolean;
  readonly is_known_number: boolean;
  readonly last_text_at: Date | null;
}

export interface Imagined {
  readonly draft: IntroDraft;
  readonly values: TemplateValues;
  readonly touchpoint: Pick<TouchpointRow, 'slug' | 'text_message' | 'reminds'>;
  readonly member: Pick<MemberRow, 'phone' | 'notify_by'>;
  readonly organization: Pick<OrganizationRow, 'timezone'>;
  readonly deadline: Date;
}

export interface DeliveryRehearsal {
  readonly askBy: readonly ('text' | 'email')[];
  readonly isMemberOptedOut: boolean;
  readonly reminders: readonly Reminder[];
  readonly isRecipientOptedOut: boolean;
  readonly timezone: string;
  readonly hours: { readonly from: number; readonly until: number };
  /** Of the recipient's text, if the video were there now. */
  readonly verdict: Verdict;
  readonly text: { readonly body: string; readonly segments: number; readonly problem: string | null };
}

function writeText({ values, touchpoint }: Imagined, links: Links, isFirst: boolean, now: Date) {
  // As long as the link of an intro; it opens nothing, so that it is not shown.
  const link = links.pageUrl(newId('int', now));
  const { body, problem } = writeToRecipient({ template: touchpoint.text_message, values, link, isFirst });
  const shown = body.replace(link, `${link.slice(0, link.lastIndexOf('/'))}/…`);
  return { body: shown, segments: measureText(body).segments, problem: problem?.message ?? null };
}

/** What would be sent for an intro that is not there, by the rules that send: to its member, and if it were recorded now. */
export async function rehearseDelivery(
  deps: { db: Database<Tables>; links: Links },
  tenant: Tenant,
  imagined: Imagined,
  now: Date,
): Promise<DeliveryRehearsal> {
  const { draft, member, touchpoint, organization, deadline } = imagined;
  const { phone } = draft.recipient;
  const values = [tenant.organizationId, tenant.environment, phone, member.phone ?? '', touchpoint.slug];
  const [hours, found] = await Promise.all([
    readHours(deps.db.kysely, tenant),
    deps.db.pool.query<Numbers>({ ...NUMBERS, values }),
  ]);
  const [numbers] = found.rows;
  if (numbers === undefined) throw new Error('nothing came of looking up two numbers');
  const appointment = draft.context?.appointment ?? null;
  const timezone = appointment?.timezone ?? organization.timezone;
  const isAppointment = appointment?.startsAt.getTime() === deadline.getTime();
  const verdict = judgeForRecipient(
    {
      intro: { status: 'ready', expiresAt: expiryOfReady(now), createdAt: now },
      isAgain: false,
      appointment,
      timezone,
      hours,
      isOptedOut: numbers.is_opted_out,
      lastTextAt: numbers.last_text_at,
      lastTextOpenUntil: null,
    },
    now,
  );
  const reminders = touchpoint.reminds
    ? remindersFor({ createdAt: now, deadline, isAppointment, timezone: organization.timezone, hours })
    : [];
  return {
    askBy: channelsFor(member.notify_by, member.phone !== null && !numbers.is_member_opted_out),
    isMemberOptedOut: numbers.is_member_opted_out,
    reminders: reminders.filter(({ at }) => at > now),
    isRecipientOptedOut: numbers.is_opted_out,
    timezone,
    hours,
    verdict,
    text: writeText(imagined, deps.links, !numbers.is_known_number, now),
  };
}
