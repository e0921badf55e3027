import {
  type CrmApi,
  CrmError,
  createCrmApi,
  createTokenSource,
  listAt,
  rememberFor,
  textAt,
  toInstant,
  valueAt,
} from '../bridge/index.ts';

export interface SalesforceSettings {
  /** My Domain, such as https://example.my.salesforce.com. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly organizationId: string;
  /** The last part of the endpoint URL of the outbound message. */
  readonly pathSecret: string;
  /** Custom field that receives the link. */
  readonly linkField: string;
  readonly timeZone: string;
}

export interface Customer {
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly phones: readonly (string | undefined)[];
}

export interface Opportunity {
  readonly stage: string | undefined;
  readonly since: string | undefined;
  readonly ownerId: string | undefined;
  readonly ownerEmail: string | undefined;
  /** The primary contact role, otherwise any. */
  readonly customer: Customer | undefined;
}

export interface CalendarEvent {
  readonly subject: string | undefined;
  readonly start: string | undefined;
  readonly isAllDay: boolean;
  readonly created: string | undefined;
  readonly ownerId: string | undefined;
  /** A contact or a lead. */
  readonly whoId: string | undefined;
  readonly whatId: string | undefined;
}

export type SObject = 'Opportunity' | 'Event';

export interface SalesforceApi {
  /** Undefined if it was deleted, or the integration user cannot see it. */
  opportunity(id: string): Promise<Opportunity | undefined>;
  event(id: string): Promise<CalendarEvent>;
  eventsOf(opportunityId: string): Promise<readonly string[]>;
  customer(whoId: string): Promise<Customer | undefined>;
  userEmail(id: string): Promise<string | undefined>;
  link(type: SObject, id: string): Promise<string | undefined>;
  setLink(type: SObject, id: string, url: string): Promise<void>;
  tasks(field: 'WhatId' | 'WhoId', id: string): Promise<readonly string[]>;
  addTask(field: 'WhatId' | 'WhoId', id: string, text: string): Promise<void>;
}

const VERSION = 'v67.0';
/** An access token lives as long as the session settings of the organization say; a refused one is replaced at once. */
const TOKEN_LIFE_MS = 30 * 60_000;
const TOKEN_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 12_000;
const USER_LIFE_MS = 5 * 60_000;
const TASK_SUBJECT = 'Foreword';

/**
 * OAuth 2.0 client credentials flow of an external client app:
 * https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_client_credentials_flow.htm
 */
function createToken({ url, clientId, clientSecret }: SalesforceSettings): (isRefused: boolean) => Promise<string> {
  return createTokenSource(async () => {
    const response = await fetch(`${url}/services/oauth2/token`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
    }).catch(() => undefined);
    const value =
      response?.ok === true ? textAt(await response.json().catch(() => undefined), 'access_token') : undefined;
    // A refused client is repaired by an administrator: 401 makes Salesforce send the message again.
    if (value === undefined) throw new CrmError('get access token', response === undefined ? undefined : 401);
    return { value, expiresInMs: TOKEN_LIFE_MS };
  });
}

export function createSalesforceApi(settings: SalesforceSettings): SalesforceApi {
  const { url, linkField } = settings;
  const token = createToken(settings);
  const api: CrmApi = createCrmApi({
    baseUrl: `${url}/services/data/${VERSION}`,
    authorize: async (isRefused) => ({ authorization: `Bearer ${await token(isRefused)}` }),
    deadlineMs: DEADLINE_MS,
  });
  // IDs were checked to be alphanumeric, so that nothing else gets into a query.
  const query = async (operation: string, soql: string) =>
    listAt(await api.call({ operation, path: `/query?q=${encodeURIComponent(soql)}` }), 'records');
  const get = (type: string, id: string, fields: string) =>
    api.call({ operation: `get ${type}`, path: `/sobjects/${type}/${id}?fields=${encodeURIComponent(fields)}` });
  return {
    // https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_query.htm
    async opportunity(id) {
      const [record] = await query(
        'get Opportunity',
        'SELECT StageName, LastStageChangeDate, CreatedDate, OwnerId, Owner.Email, (SELECT Contact.FirstName, ' +
          'Contact.LastName, Contact.MobilePhone, Contact.Phone FROM OpportunityContactRoles ORDER BY IsPrimary DESC ' +
          `LIMIT 1) FROM Opportunity WHERE Id = '${id}'`,
      );
      return record === undefined ? undefined : readOpportunity(record);
    },
    async event(id) {
      return readEvent(await get('Event', id, 'Subject,StartDateTime,IsAllDayEvent,CreatedDate,OwnerId,WhoId,WhatId'));
    },
    async eventsOf(opportunityId) {
      const records = await query('list Events', `SELECT Id FROM Event WHERE WhatId = '${opportunityId}'`);
      return records.map((record) => textAt(record, 'Id')).filter((id) => id !== undefined);
    },
    async customer(whoId) {
      // The first three characters of an ID name its type.
      const type = { '003': 'Contact', '00Q': 'Lead' }[whoId.slice(0, 3)];
      return type === undefined
        ? undefined
        : readCustomer(await get(type, whoId, 'FirstName,LastName,MobilePhone,Phone'));
    },
    userEmail: rememberFor(USER_LIFE_MS, async (id: string) => textAt(await get('User', id, 'Email'), 'Email')),
    async link(type, id) {
      return textAt(await get(type, id, linkField), linkField);
    },
    async setLink(type, id, link) {
      const json = { [linkField]: link };
      await api.call({ operation: `update ${type}`, method: 'PATCH', path: `/sobjects/${type}/${id}`, json });
    },
    async tasks(field, id) {
      const soql = `SELECT Description FROM Task WHERE ${field} = '${id}' AND Subject = '${TASK_SUBJECT}'`;
      return (await query('list Tasks', soql)).map((record) => textAt(record, 'Description') ?? '');
    },
    async addTask(field, id, text) {
      const json = { Subject: TASK_SUBJECT, Description: text, Status: 'Completed', [field]: id };
      await api.call({ operation: 'create Task', method: 'POST', path: '/sobjects/Task', json });
    },
  };
}

function readOpportunity(record: unknown): Opportunity {
  const [role] = listAt(record, 'OpportunityContactRoles.records');
  return {
    stage: textAt(record, 'StageName'),
    since: toInstant(textAt(record, 'LastStageChangeDate')) ?? toInstant(textAt(record, 'CreatedDate')),
    ownerId: textAt(record, 'OwnerId'),
    ownerEmail: textAt(record, 'Owner.Email'),
    customer: role === undefined ? undefined : readCustomer(valueAt(role, 'Contact')),
  };
}

const readCustomer = (record: unknown): Customer => ({
  firstName: textAt(record, 'FirstName'),
  lastName: textAt(record, 'LastName'),
  phones: [textAt(record, 'MobilePhone'), textAt(record, 'Phone')],
});

const readEvent = (record: unknown): CalendarEvent => ({
  subject: textAt(record, 'Subject'),
  start: toInstant(textAt(record, 'StartDateTime')),
  isAllDay: valueAt(record, 'IsAllDayEvent') === true,
  created: toInstant(textAt(record, 'CreatedDate')),
  ownerId: textAt(record, 'OwnerId'),
  whoId: textAt(record, 'WhoId'),
  whatId: textAt(record, 'WhatId'),
});
