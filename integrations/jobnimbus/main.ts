/** Connects JobNimbus: job statuses and tasks become touchpoint events. */

import { TOUCHPOINT_BY_STATUS, TOUCHPOINT_BY_TASK_TYPE } from './mapping.ts';

// The mapping is first, so that it is at the top of the built file.

import {
  type Change,
  type CrmApi,
  createCrmApi,
  fromUnixTime,
  isObject,
  isSameSecret,
  listAt,
  lookUp,
  type Moment,
  parseJson,
  type Recipe,
  type RecordReference,
  RequestError,
  requiredText,
  runRecipe,
  textAt,
  valueAt,
} from '../bridge/index.ts';
import { writeNoteOnce } from './notes.ts';

/** JobNimbus sends the record as it was. It is read again, because webhooks have no order and no documented repetition. */
interface Notice {
  readonly type: string;
  readonly id: string;
}

/** Where each type of record is in the API. */
const COLLECTIONS: Readonly<Record<string, string>> = { contact: 'contacts', job: 'jobs', task: 'tasks' };
const ANSWER_WITHIN_MS = 15_000;

function createRecipe(api: CrmApi, secret: string, timeZone: string): Recipe<Notice> {
  return {
    source: 'jobnimbus',
    touchpoints: [...Object.values(TOUCHPOINT_BY_STATUS), ...Object.values(TOUCHPOINT_BY_TASK_TYPE)],
    answerWithinMs: ANSWER_WITHIN_MS,
    receive({ pathSecret, rawBody }) {
      if (!isSameSecret(pathSecret, secret)) throw new RequestError(401, 'the secret in the URL is wrong');
      const body = parseJson(rawBody);
      const records = Array.isArray(body) ? body : [body];
      return records.map((record) => ({ type: requiredText(record, 'type'), id: requiredText(record, 'jnid') }));
    },
    recordOf: ({ type, id }) => `${type}:${id}`,
    async read({ type, id }) {
      const reference = { type: type === 'task' ? 'appointment' : type, id };
      if (!Object.hasOwn(COLLECTIONS, type))
        return [{ kind: 'ignored', record: reference, reason: `a ${type} is not used` }];
      const record = await getRecord(api, type, id);
      return type === 'task' ? readTask(api, reference, record, timeZone) : readStatus(api, reference, record);
    },
    async writeLink({ record, url, memberName }) {
      await writeNoteOnce(api, await noteTarget(api, record), `The video from ${memberName} is ready: ${url}`);
    },
    async writeNote(record, text) {
      await writeNoteOnce(api, await noteTarget(api, record), text);
    },
  };
}

const getRecord = (api: CrmApi, type: string, id: string): Promise<unknown> =>
  api.call({ operation: `get ${type}`, path: `/${COLLECTIONS[type]}/${encodeURIComponent(id)}` });

/** A contact or job that reached a status. */
async function readStatus(api: CrmApi, reference: RecordReference, record: unknown): Promise<readonly Change[]> {
  const status = textAt(record, 'status_name');
  const touchpoint = lookUp(TOUCHPOINT_BY_STATUS, status);
  if (touchpoint === undefined)
    return [{ kind: 'ignored', record: reference, reason: `status ${status} is not mapped` }];
  const occurredAt =
    fromUnixTime(valueAt(record, 'date_status_change')) ?? fromUnixTime(valueAt(record, 'date_updated'));
  if (occurredAt === undefined) throw new RequestError(400, 'the record has no time');
  const customer = reference.type === 'contact' ? record : await findCustomer(api, record);
  const members = await readMembers(api, [textAt(record, 'sales_rep'), textAt(customer, 'sales_rep')]);
  return [{ kind: 'moment', record: reference, touchpoint, occurredAt, members, recipient: recipientOf(customer) }];
}

/** A task of an appointment type. Deleted and completed tasks have no appointment any more. */
async function readTask(
  api: CrmApi,
  reference: RecordReference,
  task: unknown,
  timeZone: string,
): Promise<readonly Change[]> {
  const type = textAt(task, 'record_type_name');
  const touchpoint = lookUp(TOUCHPOINT_BY_TASK_TYPE, type);
  if (touchpoint === undefined)
    return [{ kind: 'ignored', record: reference, reason: `task type ${type} is not mapped` }];
  const start = fromUnixTime(valueAt(task, 'date_start'));
  const isGone = valueAt(task, 'is_active') === false || valueAt(task, 'is_archived') === true;
  if (isGone || start === undefined) return [{ kind: 'cancellation', record: reference }];
  if (valueAt(task, 'is_completed') === true)
    return [{ kind: 'ignored', record: reference, reason: 'the task is completed' }];
  const customer = await findCustomer(api, task);
  const occurredAt =
    fromUnixTime(valueAt(task, 'date_updated')) ?? fromUnixTime(valueAt(task, 'date_created')) ?? start;
  const owners = listAt(task, 'owners').map((owner) => textAt(owner, 'id'));
  const members = await readMembers(api, [...owners, textAt(customer, 'sales_rep')]);
  const context = { appointment: { starts_at: start, timezone: timeZone } };
  return [
    { kind: 'moment', record: reference, touchpoint, occurredAt, members, context, recipient: recipientOf(customer) },
  ];
}

/** The contact of a job or task: its primary contact, or that of the job it belongs to. */
async function findCustomer(api: CrmApi, record: unknown): Promise<unknown> {
  const related = [valueAt(record, 'primary'), ...listAt(record, 'related')].filter(isObject);
  const contactId = related
    .map((one) => (textAt(one, 'type') === 'contact' ? textAt(one, 'id') : undefined))
    .find(Boolean);
  if (contactId !== undefined) return getRecord(api, 'contact', contactId);
  const jobId = related.map((one) => (textAt(one, 'type') === 'job' ? textAt(one, 'id') : undefined)).find(Boolean);
  if (jobId === undefined || textAt(record, 'type') === 'job') return undefined;
  return findCustomer(api, await getRecord(api, 'job', jobId));
}

const recipientOf = (contact: unknown): Moment['recipient'] => ({
  firstName: textAt(contact, 'first_name') ?? textAt(contact, 'company'),
  lastName: textAt(contact, 'last_name'),
  phones: ['mobile_phone', 'home_phone', 'work_phone'].map((name) => textAt(contact, name)),
});

/** By the id of the user in JobNimbus, then by email. */
async function readMembers(api: CrmApi, userIds: readonly (string | undefined)[]): Promise<Moment['members']> {
  const id = userIds.find((one) => one !== undefined);
  if (id === undefined) return [];
  const users = listAt(await api.call({ operation: 'list users', path: '/account/users' }), 'users');
  const email = textAt(
    users.find((user) => textAt(user, 'id') === id),
    'email',
  );
  return [{ external_id: id }, ...(email === undefined ? [] : [{ email }])];
}

/** A note on an appointment goes to the contact or job of the task. */
async function noteTarget(api: CrmApi, { type, id }: RecordReference): Promise<string> {
  if (type !== 'appointment') return id;
  const [related] = listAt(await getRecord(api, 'task', id), 'related');
  return textAt(related, 'id') ?? id;
}

runRecipe({
  name: 'jobnimbus',
  create(variables, { timeZone }) {
    const key = variables.text('JOBNIMBUS_API_KEY');
    const baseUrl = variables.url('JOBNIMBUS_API_URL', 'https://app.jobnimbus.com/api1');
    const api = createCrmApi({ baseUrl, authorize: async () => ({ authorization: `Bearer ${key}` }) });
    return createRecipe(api, variables.secret('JOBNIMBUS_WEBHOOK_SECRET'), timeZone);
  },
});
