import { type CrmApi, createCrmApi, type JsonObject, listAt, rememberFor, textAt } from '../bridge/index.ts';

export interface FollowUpBossSettings {
  readonly apiUrl: string;
  readonly apiKey: string;
  /** Name and key of the registered system. The key also signs the webhooks. */
  readonly system: string;
  readonly systemKey: string;
  /** Custom field of a person that receives the link. */
  readonly linkField: string;
  readonly timeZone: string;
}

export interface Person {
  readonly id: string;
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  readonly stage: string | undefined;
  readonly assignedUserId: string | undefined;
  /** Mobile numbers first, then the primary number. */
  readonly phones: readonly string[];
  readonly link: string | undefined;
}

export interface Appointment {
  readonly type: string | undefined;
  readonly outcome: string | undefined;
  readonly start: string | undefined;
  readonly isAllDay: boolean;
  readonly created: string | undefined;
  readonly personId: string | undefined;
  /** The invited user, otherwise the one who created the appointment. */
  readonly userId: string | undefined;
}

export interface FollowUpBossApi {
  person(id: string): Promise<Person>;
  appointment(id: string): Promise<Appointment>;
  userEmail(id: string): Promise<string | undefined>;
  setLink(personId: string, url: string): Promise<void>;
  addNote(personId: string, text: string): Promise<void>;
}

/** Emails of users rarely change; a batch of a hundred people has a few agents. */
const USER_LIFE_MS = 5 * 60_000;
/** The answer to a webhook must arrive within ten seconds. */
const DEADLINE_MS = 6_000;

const idPath = (id: string): string => encodeURIComponent(id);

/**
 * The parts of the API that the recipe uses. Basic authentication with the API key, and the headers of the registered system:
 * https://docs.followupboss.com/reference/authentication, https://docs.followupboss.com/reference/identification
 */
export function createFollowUpBossApi(settings: FollowUpBossSettings): FollowUpBossApi {
  const { apiUrl, apiKey, system, systemKey, linkField } = settings;
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  const headers = { authorization, 'x-system': system, 'x-system-key': systemKey };
  const api: CrmApi = createCrmApi({ baseUrl: apiUrl, authorize: async () => headers, deadlineMs: DEADLINE_MS });
  const fields = `firstName,lastName,stage,phones,assignedUserId,${linkField}`;
  return {
    // https://docs.followupboss.com/reference/people-id-get
    async person(id) {
      const path = `/people/${idPath(id)}?fields=${encodeURIComponent(fields)}`;
      return readPerson(id, await api.call({ operation: 'get person', path }), linkField);
    },
    // https://docs.followupboss.com/reference/appointments-id-get
    async appointment(id) {
      return readAppointment(await api.call({ operation: 'get appointment', path: `/appointments/${idPath(id)}` }));
    },
    // https://docs.followupboss.com/reference/users-id-get
    userEmail: rememberFor(USER_LIFE_MS, async (id: string) =>
      textAt(await api.call({ operation: 'get user', path: `/users/${idPath(id)}` }), 'email'),
    ),
    // https://docs.followupboss.com/reference/people-id-put
    async setLink(personId, url) {
      const path = `/people/${idPath(personId)}`;
      await api.call({ operation: 'update person', method: 'PUT', path, json: { [linkField]: url } });
    },
    // https://docs.followupboss.com/reference/notes-post
    async addNote(personId, text) {
      const json = { personId: Number(personId), subject: 'Foreword', body: text };
      await api.call({ operation: 'create note', method: 'POST', path: '/notes', json });
    },
  };
}

function readPerson(id: string, body: unknown, linkField: string): Person {
  const rank = (phone: unknown) =>
    (textAt(phone, 'type')?.toLowerCase() === 'mobile' ? 0 : 2) + (isPrimary(phone) ? 0 : 1);
  const phones = [...listAt(body, 'phones')].sort((one, other) => rank(one) - rank(other));
  return {
    id,
    firstName: textAt(body, 'firstName'),
    lastName: textAt(body, 'lastName'),
    stage: textAt(body, 'stage'),
    assignedUserId: textAt(body, 'assignedUserId'),
    phones: phones.map((phone) => textAt(phone, 'value')).filter((value) => value !== undefined),
    link: textAt(body, linkField),
  };
}

const isPrimary = (phone: unknown): boolean => {
  const { isPrimary: flag } = (phone ?? {}) as JsonObject;
  return flag === true || flag === 1;
};

function readAppointment(body: unknown): Appointment {
  const invitees = listAt(body, 'invitees');
  const firstOf = (name: string) => invitees.map((invitee) => textAt(invitee, name)).find((id) => id !== undefined);
  return {
    type: textAt(body, 'type'),
    outcome: textAt(body, 'outcome'),
    start: textAt(body, 'start'),
    isAllDay: (body as JsonObject | undefined)?.allDay === true,
    created: textAt(body, 'created'),
    personId: firstOf('personId'),
    userId: firstOf('userId') ?? textAt(body, 'createdById'),
  };
}
