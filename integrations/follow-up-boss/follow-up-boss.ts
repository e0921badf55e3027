import {
  type Change,
  CrmError,
  type CrmRequest,
  hmacSha256,
  isListed,
  isSameSecret,
  listAt,
  lookUp,
  type MemberSelector,
  parseJson,
  type Recipe,
  RequestError,
  requiredText,
  textAt,
  toInstant,
} from '../bridge/index.ts';
import { createFollowUpBossApi, type FollowUpBossApi, type FollowUpBossSettings, type Person } from './api.ts';

export interface FollowUpBossMapping {
  readonly stages: Readonly<Record<string, string>>;
  readonly cancelledStages: readonly string[];
  readonly appointmentTypes: Readonly<Record<string, string>>;
  readonly cancelledOutcomes: readonly string[];
}

/** One resource of a webhook: https://docs.followupboss.com/reference/webhooks-guide */
export interface Notice {
  readonly eventId: string;
  readonly event: string;
  readonly id: string;
  readonly occurredAt: string;
}

/** Follow Up Boss waits ten seconds for a 2xx, then repeats the webhook for up to eight hours. */
const ANSWER_WITHIN_MS = 9_000;
/** Larger than any documented batch; protects against a forged list, although it would need the system key. */
const MOST_RESOURCES = 1_000;

/**
 * Follow Up Boss sends the ids of people and appointments; the recipe fetches them. It reads the current stage, not the one
 * in the webhook: when a person changed stage twice, both webhooks report the last one, with the same key.
 */
export function createFollowUpBoss(mapping: FollowUpBossMapping, settings: FollowUpBossSettings): Recipe<Notice> {
  const api = createFollowUpBossApi(settings);
  const noted = new Set<string>();
  const personOf = async (type: string, id: string) => (type === 'person' ? id : (await api.appointment(id)).personId);
  return {
    source: 'follow_up_boss',
    touchpoints: [...Object.values(mapping.stages), ...Object.values(mapping.appointmentTypes)],
    answerWithinMs: ANSWER_WITHIN_MS,
    receive: (request) => receive(request, settings.systemKey),
    recordOf: ({ event, id }) => `${isAppointment(event) ? 'appointment' : 'person'}:${id}`,
    identify: ({ eventId, id }) => `${eventId}:${id}`,
    async read(notice) {
      const { event, id } = notice;
      if (event === 'peopleStageUpdated') return [await readPersonChange(api, mapping, notice)];
      if (isAppointment(event)) return [await readAppointmentChange(api, mapping, settings.timeZone, notice)];
      return [{ kind: 'ignored', record: { type: 'person', id }, reason: `no moment is reported for ${event}` }];
    },
    // The same value in the same field: writing it twice changes nothing.
    async writeLink({ record, url }) {
      const personId = await personOf(record.type, record.id);
      if (personId === undefined) return;
      const { link } = await api.person(personId);
      if (link !== url) await api.setLink(personId, url);
    },
    // The API documents no way to list a person's notes, so a repeat after a restart would add a second note.
    async writeNote({ type, id }, text) {
      const personId = await personOf(type, id);
      const note = `${personId} ${text}`;
      if (personId === undefined || noted.has(note)) return;
      await api.addNote(personId, text);
      noted.add(note);
    },
  };
}

const isAppointment = (event: string): boolean => event.startsWith('appointments');

/**
 * The signature is the hexadecimal HMAC-SHA256 of the body in base64, with the system key. It has no timestamp; repeats of an
 * old webhook are harmless because their keys are known.
 */
function receive({ headers, rawBody }: CrmRequest, systemKey: string): readonly Notice[] {
  const expected = hmacSha256(systemKey, Buffer.from(rawBody).toString('base64'), 'hex');
  if (!isSameSecret(headers['fub-signature']?.toLowerCase(), expected))
    throw new RequestError(401, 'FUB-Signature is not valid');
  const body = parseJson(rawBody);
  const event = requiredText(body, 'event');
  const eventId = requiredText(body, 'eventId');
  const occurredAt = toInstant(requiredText(body, 'eventCreated'));
  if (occurredAt === undefined) throw new RequestError(400, 'eventCreated is not a time');
  const resources = listAt(body, 'resourceIds');
  if (resources.length === 0 || resources.length > MOST_RESOURCES)
    throw new RequestError(400, `resourceIds must have 1 to ${MOST_RESOURCES} entries`);
  const ids = new Set(resources.map((value) => textAt({ value }, 'value')));
  return [...ids].map((id) => {
    if (id === undefined || !/^\d{1,20}$/.test(id)) throw new RequestError(400, 'resourceIds must be numbers');
    return { eventId, event, id, occurredAt };
  });
}

async function readPersonChange(api: FollowUpBossApi, mapping: FollowUpBossMapping, notice: Notice): Promise<Change> {
  const record = { type: 'person', id: notice.id };
  const person = await api.person(notice.id);
  const { stage } = person;
  if (isListed(mapping.cancelledStages, stage)) return { kind: 'cancellation', record };
  const touchpoint = lookUp(mapping.stages, stage);
  if (touchpoint === undefined)
    return { kind: 'ignored', record, reason: `the stage ${stage ?? '(none)'} is not mapped` };
  return {
    kind: 'moment',
    record,
    touchpoint,
    occurredAt: notice.occurredAt,
    members: await membersFor(api, person.assignedUserId),
    recipient: recipientOf(person),
  };
}

async function readAppointmentChange(
  api: FollowUpBossApi,
  mapping: FollowUpBossMapping,
  timeZone: string,
  { event, id, occurredAt }: Notice,
): Promise<Change> {
  const record = { type: 'appointment', id };
  const appointment = event === 'appointmentsDeleted' ? undefined : await api.appointment(id).catch(absent);
  if (appointment === undefined) return { kind: 'cancellation', record };
  const { type, outcome, start, personId, userId } = appointment;
  const ignore = (reason: string): Change => ({ kind: 'ignored', record, reason });
  const touchpoint = lookUp(mapping.appointmentTypes, type);
  if (touchpoint === undefined) return ignore(`the appointment type ${type ?? '(none)'} is not mapped`);
  if (isListed(mapping.cancelledOutcomes, outcome)) return { kind: 'cancellation', record };
  const startsAt = toInstant(start);
  if (startsAt === undefined || appointment.isAllDay) return ignore('the appointment has no time');
  if (personId === undefined) return ignore('no person is invited to the appointment');
  return {
    kind: 'moment',
    record,
    touchpoint,
    occurredAt: toInstant(appointment.created) ?? occurredAt,
    members: await membersFor(api, userId),
    recipient: recipientOf(await api.person(personId)),
    context: { appointment: { starts_at: startsAt, timezone: timeZone } },
    metadata: { person_id: personId },
  };
}

function absent(error: unknown): undefined {
  if (error instanceof CrmError && error.isMissing) return undefined;
  throw error;
}

const recipientOf = ({ firstName, lastName, phones }: Person) => ({ firstName, lastName, phones });

/** The email identifies one person; a member's external id may come from another system and is tried second. */
async function membersFor(api: FollowUpBossApi, userId: string | undefined): Promise<MemberSelector[]> {
  if (userId === undefined || userId === '0') return [];
  const email = await api.userEmail(userId).catch(absent);
  return [...(email === undefined ? [] : [{ email }]), { external_id: userId }];
}
