/** A member's home: what to record, and starting an intro. */

import {
  type AcceptedEvent,
  type ConsoleBody,
  type HOME_OPERATIONS,
  type HomeAppointment,
  type HomeEvent,
  type HomeSettings,
  type HomeTask,
  type HomeTouchpoint,
  isInLanes,
  iso,
  type TouchpointEvent,
} from '@foreword/contract';
import { readPage } from '../db/lists.ts';
import type { Row, Tenant } from '../db/tenancy.ts';
import { retrieveEvent } from '../intros/events/index.ts';
import { findMemberIntro, listNewestByMember, listToRecord, type ToRecordRow } from '../intros/index.ts';
import { findMember, type MemberChange, recordMemberChange, requireMember, updateMember } from '../members/index.ts';
import { countryOfTimezone } from '../platform/countries.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { pick } from '../platform/json.ts';
import { readPhone } from '../platform/phone.ts';
import { listTouchpoints } from '../touchpoints/index.ts';
import { mayActAs } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import { presentIntroRow } from './intros/present.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import { fileUrl } from './session.ts';
import type { ConsoleUser } from './sessions/service.ts';

const STATES: Readonly<Record<NonNullable<ToRecordRow['take_status']>, HomeTask['state']>> = {
  // The upload may have been abandoned. The recorder finds out, and resumes it.
  uploading: 'to_record',
  uploaded: 'processing',
  processing: 'processing',
  // The intro becomes ready in the same transaction.
  ready: 'processing',
  refused: 'refused',
  discarded: 'to_record',
};

function presentTask(row: ToRecordRow, recordUrl: string): HomeTask {
  const state = row.take_status === null ? 'to_record' : STATES[row.take_status];
  // Stored in the shape of the contract.
  const context = row.context as { readonly appointment?: HomeAppointment | null } | null;
  return {
    id: row.id,
    touchpoint: row.touchpoint_name,
    recipient: { first_name: row.recipient_first_name, last_name: row.recipient_last_name },
    appointment: context?.appointment ?? null,
    deadline: iso(row.expires_at),
    state,
    progress: state === 'processing' ? (row.take_progress ?? 0) : 0,
    reason: state === 'refused' ? row.take_refusal : null,
    record_url: recordUrl,
  };
}

const presentHomeEvent = (event: TouchpointEvent, recordUrl: string | null): HomeEvent => ({
  id: event.id,
  status: event.status === 'processed' || event.status === 'failed' ? event.status : 'accepted',
  intro_id: event.intro,
  record_url: recordUrl,
  problem: event.error?.message ?? null,
});

const presentSettings = (row: Row<'members'>): HomeSettings => ({
  ...pick(row, 'first_name', 'last_name', 'email', 'title', 'phone'),
  photo_url: fileUrl(row.photo),
  ...pick(row, 'notify_by', 'words_per_minute', 'language'),
  weekly_summary: row.role === 'owner' ? row.weekly_summary_off_at === null : null,
});

/** Lets integrations recognize events that did not come from them. */
const SOURCE = 'foreword_console';

/** The number in E.164. A wrong guess would text a stranger, so anything but one whole number is refused. */
function requirePhone(typed: string, country: string | null): string {
  const phone = readPhone(typed, country);
  if (phone !== null) return phone;
  const message =
    'Enter a whole number. A number of another country starts with + and the country code, such as +1 415 555 0177.';
  throw new ApiError('validation_failed', message, { field: 'recipient.phone' });
}

/** More than a member records in a day. */
const SHOWN_TO_RECORD = 50;
const RECORDED_PAGE = 20;

export function createHomeHandlers({
  db: { kysely: db },
  clock,
  events,
  links,
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof HOME_OPERATIONS> {
  /** Activates their links, because this page may be the first place to show them. */
  async function presentTasks(tenant: Tenant, rows: readonly ToRecordRow[]): Promise<HomeTask[]> {
    await links.activateRecord(
      db,
      rows.map(({ id, link_generation: generation }) => ({ tenant, introId: id, generation })),
    );
    return rows.map((row) => presentTask(row, links.recordUrl(row.id, row.link_generation)));
  }

  /** The member who records: owners and managers may choose someone else. */
  async function requireRecorder({ tenant, memberId, role }: ConsoleUser, wanted = memberId): Promise<Row<'members'>> {
    const isAllowed = wanted === memberId || mayActAs(role, 'manager');
    const member = isAllowed && ID_PATTERN.test(wanted) ? await findMember(db, tenant, wanted) : null;
    if (member?.active !== true) throw invalid('member', 'must be an active member of this organization');
    return member;
  }

  async function touchpointsOf({ tenant }: ConsoleUser, { lanes }: Row<'members'>): Promise<HomeTouchpoint[]> {
    return (await listTouchpoints(db, tenant))
      .filter(({ active, lane }) => active && isInLanes(lane, lanes))
      .map((row) => pick(row, 'slug', 'name', 'context', 'lane', 'delivery'));
  }

  const timezoneOf = async ({ tenant }: ConsoleUser) => (await requireOrganization(db, tenant)).timezone;

  /** An intro that someone starts in the console is the same event as one of an integration. */
  async function toEvent(user: ConsoleUser, body: ConsoleBody<'POST /home/intros'>) {
    const { touchpoint: slug, recipient, appointment, occurred_at } = body;
    const member = await requireRecorder(user, body.member);
    if (member.likeness_withdrawn_at !== null) {
      const name = `${member.first_name} ${member.last_name}`;
      const message = `${name} withdrew the consent to the use of their likeness, so they record no intros.`;
      throw new ApiError('member_not_found', message, { field: 'member' });
    }
    const touchpoint = (await touchpointsOf(user, member)).find((each) => each.slug === slug);
    if (touchpoint === undefined) {
      throw new ApiError('touchpoint_not_found', 'This touchpoint has been turned off. Choose another one.', {
        field: 'touchpoint',
      });
    }
    if (touchpoint.context === 'appointment' && appointment === undefined) {
      throw invalid('appointment', 'is required for this touchpoint');
    }
    const timezone = await timezoneOf(user);
    const context = {
      ...(appointment !== undefined && { appointment: { starts_at: appointment, timezone } }),
      ...(touchpoint.lane !== null && { lane: touchpoint.lane }),
    };
    return {
      touchpoint: slug,
      occurred_at,
      member: { id: member.id },
      recipient: { ...recipient, phone: requirePhone(recipient.phone, countryOfTimezone(timezone)) },
      reference: { source: SOURCE },
      context,
    };
  }

  async function follow({ tenant, memberId, role }: ConsoleUser, id: string) {
    const event = await retrieveEvent(db, tenant, id);
    if (event.resolved.member.id !== memberId && !mayActAs(role, 'manager')) {
      throw new ApiError('not_found', 'No event with this id in this organization and environment.');
    }
    const intro = event.intro === null ? undefined : await findMemberIntro(db, tenant, memberId, event.intro);
    if (intro === undefined) return presentHomeEvent(event, null);
    const { id: introId, link_generation: generation } = intro;
    await links.activateRecord(db, [{ tenant, introId, generation }]);
    return presentHomeEvent(event, links.recordUrl(introId, generation));
  }

  const changeSettings = ({ tenant, memberId }: ConsoleUser, changes: MemberChange) =>
    db.transaction().execute(async (tx) => {
      const before = await requireMember(tx, tenant, memberId);
      if (Object.keys(changes).length === 0) return presentSettings(before);
      const after = (await updateMember(tx, tenant, memberId, changes)) ?? before;
      await recordMemberChange(tx, tenant, before, after);
      return presentSettings(after);
    });

  return {
    async readHome({ tenant, memberId }) {
      const rows = await listToRecord(db, tenant, memberId, SHOWN_TO_RECORD + 1);
      const shown = rows.slice(0, SHOWN_TO_RECORD);
      return {
        to_record: await presentTasks(tenant, shown),
        has_more_to_record: rows.length > shown.length,
      };
    },
    async listOwnRecorded({ tenant, memberId }, { query }) {
      const now = clock();
      const page = await readPage(
        { ...query, limit: RECORDED_PAGE },
        {
          exists: async (id) => (await findMemberIntro(db, tenant, memberId, id)) !== undefined,
          rows: (rows) => listNewestByMember(db, tenant, memberId, { ...rows, statuses: ['ready', 'sent'] }),
          present: (row) => presentIntroRow(row, now),
        },
      );
      return { recorded: page.data, has_more: page.has_more };
    },
    async readNewIntroForm(user, { query }) {
      const [recorder, own, timezone] = await Promise.all([
        requireRecorder(user, query.member),
        findMember(db, user.tenant, user.memberId),
        timezoneOf(user),
      ]);
      return { touchpoints: await touchpointsOf(user, recorder), timezone, own_phone: own?.phone ?? null };
    },
    async startIntro(user, { body, key }) {
      const answer = await events.submit(user.tenant, key, await toEvent(user, body));
      return follow(user, (answer.body as AcceptedEvent).id);
    },
    followStartedIntro: (user, { params }) => follow(user, params.id),
    readOwnSettings: async ({ tenant, memberId }) => presentSettings(await requireMember(db, tenant, memberId)),
    async changeOwnSettings(user, { body: { phone, weekly_summary: isOn, ...preferences } }) {
      if (isOn !== undefined && user.role !== 'owner') {
        throw new ApiError('forbidden', 'Only owners get the weekly summary.');
      }
      return changeSettings(user, {
        ...(phone !== undefined && { phone: phone === '' ? null : phone }),
        ...preferences,
        ...(isOn !== undefined && { weekly_summary_off_at: isOn ? null : clock() }),
      });
    },
  };
}
