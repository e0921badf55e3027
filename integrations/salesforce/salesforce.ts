import {
  type Change,
  CrmError,
  isListed,
  isSameSecret,
  lookUp,
  type MemberSelector,
  type Recipe,
  RequestError,
} from '../bridge/index.ts';
import { createSalesforceApi, type SalesforceApi, type SalesforceSettings, type SObject } from './api.ts';
import { ACKNOWLEDGEMENT, isRecordId, readOutboundMessage } from './outbound-message.ts';

export interface SalesforceMapping {
  readonly stages: Readonly<Record<string, string>>;
  readonly cancelledStages: readonly string[];
  readonly subjects: Readonly<Record<string, string>>;
  readonly cancelledSubjects: readonly string[];
}

/** A record that an outbound message names. */
export interface Notice {
  readonly type: string;
  readonly id: string;
}

/** Salesforce documents no time limit. Without an acknowledgement it sends the message again, for 24 hours. */
const ANSWER_WITHIN_MS = 30_000;

/** `reference.type` of events, because the bridge treats appointments as one moment that may move. */
const TYPES: Readonly<Record<string, string>> = { Opportunity: 'opportunity', Event: 'appointment' };
const sObjectOf = (type: string): SObject => (type === 'appointment' ? 'Event' : 'Opportunity');

/**
 * An outbound message has no signature. Three things protect the endpoint: a secret in its URL, the ID of the organization, and
 * that the recipe uses only the IDs of a message and fetches the records itself.
 */
export function createSalesforce(mapping: SalesforceMapping, settings: SalesforceSettings): Recipe<Notice> {
  const api = createSalesforceApi(settings);
  return {
    source: 'salesforce',
    touchpoints: [...Object.values(mapping.stages), ...Object.values(mapping.subjects)],
    answerWithinMs: ANSWER_WITHIN_MS,
    acknowledgement: ACKNOWLEDGEMENT,
    receive({ pathSecret, rawBody }) {
      if (!isSameSecret(pathSecret, settings.pathSecret))
        throw new RequestError(401, 'the secret in the URL is not valid');
      const { organizationId, records } = readOutboundMessage(rawBody);
      // The first 15 characters identify it; the other three are a checksum.
      if (organizationId.slice(0, 15) !== settings.organizationId.slice(0, 15))
        throw new RequestError(401, 'the message is from another organization');
      return [...new Map(records.map((record) => [`${record.type}:${record.id}`, record])).values()];
    },
    recordOf: ({ type, id }) => `${TYPES[type] ?? type}:${id}`,
    async read({ type, id }) {
      if (type === 'Opportunity') return readOpportunity(api, mapping, id);
      if (type === 'Event') return [await readEvent(api, mapping, settings.timeZone, id)];
      return [{ kind: 'ignored', record: { type, id }, reason: `no moment is reported for ${type}` }];
    },
    // The same value in the same field: writing it twice changes nothing.
    async writeLink({ record: { type, id }, url }) {
      if (!isRecordId(id)) return;
      if ((await api.link(sObjectOf(type), id)) !== url) await api.setLink(sObjectOf(type), id, url);
    },
    async writeNote({ type, id }, text) {
      const [field, related] = await taskTarget(api, type, id);
      if (related === undefined || (await api.tasks(field, related)).includes(text)) return;
      await api.addTask(field, related, text);
    },
  };
}

/** A task cannot belong to an event. It appears on the opportunity or, for other events, on the contact or lead. */
async function taskTarget(
  api: SalesforceApi,
  type: string,
  id: string,
): Promise<['WhatId' | 'WhoId', string | undefined]> {
  if (type !== 'appointment') return ['WhatId', id];
  const { whatId, whoId } = await api.event(id);
  return whatId === undefined ? ['WhoId', whoId] : ['WhatId', whatId];
}

async function readOpportunity(api: SalesforceApi, mapping: SalesforceMapping, id: string): Promise<readonly Change[]> {
  const record = { type: 'opportunity', id };
  const opportunity = await api.opportunity(id);
  if (opportunity === undefined) return [{ kind: 'cancellation', record }];
  const { stage, since, ownerId, ownerEmail, customer } = opportunity;
  if (isListed(mapping.cancelledStages, stage)) {
    const events = await api.eventsOf(id);
    const records = [record, ...events.map((eventId) => ({ type: 'appointment', id: eventId }))];
    return records.map((cancelled) => ({ kind: 'cancellation', record: cancelled }));
  }
  const touchpoint = lookUp(mapping.stages, stage);
  if (touchpoint === undefined)
    return [{ kind: 'ignored', record, reason: `the stage ${stage ?? '(none)'} is not mapped` }];
  if (since === undefined) return [{ kind: 'ignored', record, reason: 'the opportunity has no date' }];
  return [
    {
      kind: 'moment',
      record,
      touchpoint,
      occurredAt: since,
      members: membersOf(ownerEmail, ownerId),
      recipient: { firstName: customer?.firstName, lastName: customer?.lastName, phones: customer?.phones ?? [] },
    },
  ];
}

async function readEvent(
  api: SalesforceApi,
  mapping: SalesforceMapping,
  timeZone: string,
  id: string,
): Promise<Change> {
  const record = { type: 'appointment', id };
  const ignore = (reason: string): Change => ({ kind: 'ignored', record, reason });
  const event = await api.event(id).catch(absent);
  if (event === undefined) return { kind: 'cancellation', record };
  const { subject, start, isAllDay, created, whoId, ownerId } = event;
  if (isListed(mapping.cancelledSubjects, subject)) return { kind: 'cancellation', record };
  const touchpoint = lookUp(mapping.subjects, subject);
  // The subject is free text and may name a customer, so it is not logged.
  if (touchpoint === undefined) return ignore('the subject of the event is not mapped');
  if (start === undefined || isAllDay) return ignore('the event has no time');
  const customer = whoId === undefined ? undefined : await api.customer(whoId).catch(absent);
  const email = ownerId === undefined ? undefined : await api.userEmail(ownerId).catch(absent);
  return {
    kind: 'moment',
    record,
    touchpoint,
    occurredAt: created ?? start,
    members: membersOf(email, ownerId),
    recipient: { firstName: customer?.firstName, lastName: customer?.lastName, phones: customer?.phones ?? [] },
    context: { appointment: { starts_at: start, timezone: timeZone } },
  };
}

/** The email identifies one person; a member's external id may come from another system and is tried second. */
const membersOf = (email: string | undefined, ownerId: string | undefined): MemberSelector[] => [
  ...(email === undefined ? [] : [{ email }]),
  ...(ownerId === undefined ? [] : [{ external_id: ownerId }]),
];

function absent(error: unknown): undefined {
  if (error instanceof CrmError && error.isMissing) return undefined;
  throw error;
}
