import {
  type Change,
  CrmError,
  fromUnixTime,
  isListed,
  isObject,
  lookUp,
  parseJson,
  type Recipe,
  RequestError,
  textAt,
} from '../bridge/index.ts';
import { createHubSpotApi, type HubSpotApi, type HubSpotSettings } from './api.ts';
import type { StageTarget } from './mapping.ts';
import { verifySignature } from './signature.ts';

export interface HubSpotMapping {
  readonly stages: Readonly<Record<string, StageTarget>>;
  readonly cancelledStages: readonly string[];
}

/** A webhook's entry for one deal. */
export interface Notice {
  readonly dealId: string;
  readonly occurredAt: string;
  readonly isDeleted: boolean;
  /** False if only the time of the appointment changed. */
  readonly isStageChange: boolean;
}

/** HubSpot waits five seconds for an answer. */
const ANSWER_WITHIN_MS = 4_500;
/** HubSpot sends at most 100 events in one request. */
const MOST_EVENTS = 100;
/** https://developers.hubspot.com/docs/api-reference/latest/crm/understanding-the-crm: the object type ID of deals. */
const DEAL_TYPE = '0-3';

/** HubSpot sends ids and changed properties of deals; the recipe fetches the deal, its first contact and its owner. */
export function createHubSpot(mapping: HubSpotMapping, settings: HubSpotSettings): Recipe<Notice> {
  const api = createHubSpotApi(settings);
  return {
    source: 'hubspot',
    touchpoints: Object.values(mapping.stages).map(({ touchpoint }) => touchpoint),
    answerWithinMs: ANSWER_WITHIN_MS,
    receive(request) {
      verifySignature(request, settings.clientSecret, Date.now());
      return splitEvents(parseJson(request.rawBody), settings.appointmentProperty);
    },
    recordOf: ({ dealId }) => `deal:${dealId}`,
    identify: ({ dealId, occurredAt, isDeleted, isStageChange }) =>
      `${dealId}:${occurredAt}:${isDeleted}:${isStageChange}`,
    read: async (notice) => [await readDeal(api, mapping, settings, notice)],
    // The same value in the same property: writing it twice changes nothing.
    async writeLink({ record, url }) {
      if ((await api.link(record.id)) !== url) await api.setLink(record.id, url);
    },
    async writeNote({ id }, text) {
      const notes = await api.notes(id);
      // HubSpot may return the body as HTML.
      if (!notes.some((note) => note.includes(escapeHtml(text)) || note.includes(text))) await api.addNote(id, text);
    },
  };
}

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/**
 * Several events about one deal become one notice with the latest time: the recipe reads the current deal anyway. Object types and
 * properties that the recipe does not need are dropped here, because HubSpot's subscriptions may be broader than the mapping.
 */
function splitEvents(body: unknown, appointmentProperty: string): readonly Notice[] {
  if (!Array.isArray(body) || body.length === 0 || body.length > MOST_EVENTS)
    throw new RequestError(400, `the body must be an array of 1 to ${MOST_EVENTS} events`);
  const notices = new Map<string, Notice>();
  for (const event of body) {
    const notice = readEvent(event, appointmentProperty);
    if (notice === undefined) continue;
    const earlier = notices.get(notice.dealId);
    notices.set(notice.dealId, earlier === undefined ? notice : merge(earlier, notice));
  }
  return [...notices.values()];
}

const merge = (one: Notice, other: Notice): Notice => ({
  dealId: one.dealId,
  occurredAt: [one.occurredAt, other.occurredAt].sort().at(-1) ?? one.occurredAt,
  isDeleted: one.isDeleted || other.isDeleted,
  isStageChange: one.isStageChange || other.isStageChange,
});

/** `object.…` events name the object type; `deal.…` events are HubSpot's older form of the same. */
function readEvent(event: unknown, appointmentProperty: string): Notice | undefined {
  if (!isObject(event)) throw new RequestError(400, 'an event is not an object');
  const [kind, action] = (textAt(event, 'subscriptionType') ?? textAt(event, 'eventType') ?? '').split('.');
  if (kind !== 'deal' && !(kind === 'object' && textAt(event, 'objectTypeId') === DEAL_TYPE)) return undefined;
  const property = textAt(event, 'propertyName');
  const isRelevant = property === 'dealstage' || property === appointmentProperty;
  if (action !== 'deletion' && !(action === 'propertyChange' && isRelevant)) return undefined;
  const dealId = textAt(event, 'objectId');
  const occurredAt = fromUnixTime(event.occurredAt);
  if (dealId === undefined || !/^\d{1,20}$/.test(dealId)) throw new RequestError(400, 'objectId must be a number');
  if (occurredAt === undefined) throw new RequestError(400, 'occurredAt must be a Unix time in milliseconds');
  return { dealId, occurredAt, isDeleted: action === 'deletion', isStageChange: property === 'dealstage' };
}

async function readDeal(
  api: HubSpotApi,
  mapping: HubSpotMapping,
  { timeZone, appointmentProperty }: HubSpotSettings,
  { dealId, occurredAt, isDeleted, isStageChange }: Notice,
): Promise<Change> {
  const record = { type: 'deal', id: dealId };
  const ignore = (reason: string): Change => ({ kind: 'ignored', record, reason });
  const deal = isDeleted ? undefined : await api.deal(dealId).catch(absent);
  if (deal === undefined) return { kind: 'cancellation', record };
  if (isListed(mapping.cancelledStages, deal.stage)) return { kind: 'cancellation', record };
  const target = lookUp(mapping.stages, deal.stage);
  if (target === undefined) return ignore(`the stage ${deal.stage ?? '(none)'} is not mapped`);
  const { touchpoint, appointment: hasAppointment = false } = target;
  if (!isStageChange && !hasAppointment) return ignore(`the stage ${deal.stage} has no appointment`);
  if (hasAppointment && deal.appointment === undefined)
    return ignore(`${appointmentProperty} has no date and time yet`);
  const contact = deal.contactId === undefined ? undefined : await api.contact(deal.contactId).catch(absent);
  const email = deal.ownerId === undefined ? undefined : await api.ownerEmail(deal.ownerId).catch(absent);
  return {
    kind: 'moment',
    record,
    touchpoint,
    occurredAt,
    // The email identifies one person; a member's external id may come from another system and is tried second.
    members: [
      ...(email === undefined ? [] : [{ email }]),
      ...(deal.ownerId === undefined ? [] : [{ external_id: deal.ownerId }]),
    ],
    recipient: { firstName: contact?.firstName, lastName: contact?.lastName, phones: contact?.phones ?? [] },
    ...(hasAppointment &&
      deal.appointment !== undefined && {
        context: { appointment: { starts_at: deal.appointment, timezone: timeZone } },
      }),
  };
}

function absent(error: unknown): undefined {
  if (error instanceof CrmError && error.isMissing) return undefined;
  throw error;
}
