import {
  type CrmApi,
  createCrmApi,
  fromUnixTime,
  listAt,
  rememberFor,
  textAt,
  toInstant,
  valueAt,
} from '../bridge/index.ts';

export interface HubSpotSettings {
  readonly apiUrl: string;
  readonly accessToken: string;
  readonly clientSecret: string;
  /** Date and time property of a deal that holds its appointment. */
  readonly appointmentProperty: string;
  /** Text property of a deal that receives the link. */
  readonly linkProperty: string;
  readonly timeZone: string;
}

export interface Deal {
  readonly stage: string | undefined;
  readonly ownerId: string | undefined;
  readonly contactId: string | undefined;
  readonly appointment: string | undefined;
}

export interface Contact {
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly phones: readonly (string | undefined)[];
}

export interface HubSpotApi {
  deal(id: string): Promise<Deal>;
  contact(id: string): Promise<Contact>;
  ownerEmail(id: string): Promise<string | undefined>;
  link(dealId: string): Promise<string | undefined>;
  setLink(dealId: string, url: string): Promise<void>;
  notes(dealId: string): Promise<readonly string[]>;
  addNote(dealId: string, text: string): Promise<void>;
}

/** HubSpot's date-based version: https://developers.hubspot.com/docs/developer-tooling/platform/versioning */
const VERSION = '2026-03';
/** Owners rarely change; without this, a batch of a hundred deals costs a hundred requests more. */
const OWNER_LIFE_MS = 5 * 60_000;
/** The answer to a webhook must arrive within five seconds. */
const DEADLINE_MS = 3_500;
/** The default association from a note to a deal. */
const NOTE_TO_DEAL = 214;
/** HubSpot reads at most 100 records in one request. */
const MOST_NOTES = 100;

/** The parts of the API that the recipe uses, authorized with the access token of an app that is installed in one account. */
export function createHubSpotApi(settings: HubSpotSettings): HubSpotApi {
  const { apiUrl, accessToken, appointmentProperty, linkProperty } = settings;
  const headers = { authorization: `Bearer ${accessToken}` };
  const api: CrmApi = createCrmApi({ baseUrl: apiUrl, authorize: async () => headers, deadlineMs: DEADLINE_MS });
  const objectPath = (type: string, id: string, query = '') =>
    `/crm/objects/${VERSION}/${type}/${encodeURIComponent(id)}${query && `?${query}`}`;
  const readDeal = (id: string, query: string) =>
    api.call({ operation: 'get deal', path: objectPath('deals', id, query) });
  return {
    // https://developers.hubspot.com/docs/api-reference/2026-03/crm/objects/deals/guide
    async deal(id) {
      const properties = ['dealstage', 'hubspot_owner_id', appointmentProperty].map(encodeURIComponent).join(',');
      const body = await readDeal(id, `properties=${properties}&associations=contacts`);
      const appointment = valueAt(valueAt(body, 'properties'), appointmentProperty);
      return {
        stage: textAt(body, 'properties.dealstage'),
        ownerId: textAt(body, 'properties.hubspot_owner_id'),
        contactId: textAt(listAt(body, 'associations.contacts.results')[0], 'id'),
        appointment: toInstant(typeof appointment === 'string' ? appointment : undefined) ?? fromUnixTime(appointment),
      };
    },
    async contact(id) {
      const query = 'properties=firstname,lastname,mobilephone,phone';
      const body = await api.call({ operation: 'get contact', path: objectPath('contacts', id, query) });
      return {
        firstName: textAt(body, 'properties.firstname'),
        lastName: textAt(body, 'properties.lastname'),
        phones: [textAt(body, 'properties.mobilephone'), textAt(body, 'properties.phone')],
      };
    },
    // https://developers.hubspot.com/docs/api-reference/latest/crm/owners/guide
    ownerEmail: rememberFor(OWNER_LIFE_MS, async (id: string) => {
      const path = `/crm/owners/${VERSION}/${encodeURIComponent(id)}`;
      return textAt(await api.call({ operation: 'get owner', path }), 'email');
    }),
    async link(dealId) {
      const body = await readDeal(dealId, `properties=${encodeURIComponent(linkProperty)}`);
      return textAt(valueAt(body, 'properties'), linkProperty);
    },
    async setLink(dealId, url) {
      const json = { properties: { [linkProperty]: url } };
      await api.call({ operation: 'update deal', method: 'PATCH', path: objectPath('deals', dealId), json });
    },
    async notes(dealId) {
      const ids = listAt(await readDeal(dealId, 'associations=notes'), 'associations.notes.results')
        .map((note) => textAt(note, 'id'))
        .filter((id) => id !== undefined);
      if (ids.length === 0) return [];
      const body = await api.call({
        operation: 'read notes',
        method: 'POST',
        path: objectPath('notes', 'batch').concat('/read'),
        json: { properties: ['hs_note_body'], inputs: ids.slice(-MOST_NOTES).map((id) => ({ id })) },
      });
      return listAt(body, 'results').map((note) => textAt(note, 'properties.hs_note_body') ?? '');
    },
    // https://developers.hubspot.com/docs/api-reference/2026-03/crm/activities/notes/guide
    async addNote(dealId, text) {
      const types = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: NOTE_TO_DEAL }];
      await api.call({
        operation: 'create note',
        method: 'POST',
        path: `/crm/objects/${VERSION}/notes`,
        json: {
          properties: { hs_timestamp: new Date().toISOString(), hs_note_body: text },
          associations: [{ to: { id: dealId }, types }],
        },
      });
    },
  };
}
