/** Connects ServiceTitan: job types and statuses become touchpoint events. */

import { TOUCHPOINT_BY_JOB_STATUS, TOUCHPOINT_BY_JOB_TYPE } from './mapping.ts';

// The mapping is first, so that it is at the top of the built file.

import {
  type Change,
  hmacSha256,
  isSameSecret,
  listAt,
  lookUp,
  type Moment,
  parseJson,
  type Recipe,
  type RecordReference,
  RequestError,
  runRecipe,
  textAt,
  toInstant,
  valueAt,
} from '../bridge/index.ts';
import { connectServiceTitan, type ServiceTitan } from './api.ts';
import { writeNoteOnce } from './notes.ts';

/** The callback URL of an event says what it is about, and the webhook says which one. The rest is read from the API. */
interface Notice {
  readonly type: 'appointment' | 'job';
  readonly id: string;
}

const ANSWER_WITHIN_MS = 15_000;

interface Verification {
  readonly header: string;
  readonly hmacKey: string;
}

/** The HMAC of the raw body with SHA-256, in hexadecimal or Base64: the published pages do not say which. */
function verify({ header, hmacKey }: Verification, headers: Readonly<Record<string, string>>, rawBody: string): void {
  const received = headers[header]?.replace(/^sha256=/i, '');
  const isHex = isSameSecret(received?.toLowerCase(), hmacSha256(hmacKey, rawBody, 'hex'));
  const isBase64 = isSameSecret(received, hmacSha256(hmacKey, rawBody, 'base64'));
  if (!isHex && !isBase64) throw new RequestError(401, 'the signature is missing or wrong');
}

function readNotice(type: Notice['type'], entry: unknown): Notice {
  const id =
    textAt(entry, 'id') ?? textAt(entry, `${type}Id`) ?? textAt(entry, 'data.id') ?? textAt(entry, `${type}.id`);
  if (id === undefined || !/^\d{1,19}$/.test(id)) throw new RequestError(400, 'the id is missing');
  return { type, id };
}

function createRecipe(api: ServiceTitan, verification: Verification, timeZone: string): Recipe<Notice> {
  return {
    source: 'servicetitan',
    touchpoints: [...Object.values(TOUCHPOINT_BY_JOB_TYPE), ...Object.values(TOUCHPOINT_BY_JOB_STATUS)],
    answerWithinMs: ANSWER_WITHIN_MS,
    receive({ pathSecret, headers, rawBody }) {
      verify(verification, headers, rawBody);
      if (pathSecret !== 'appointment' && pathSecret !== 'job')
        throw new RequestError(404, 'the callback URL must end with /crm/appointment or /crm/job');
      const body = parseJson(rawBody);
      return (Array.isArray(body) ? body : [body]).map((entry) => readNotice(pathSecret, entry));
    },
    recordOf: ({ type, id }) => `${type}:${id}`,
    read: (notice) =>
      notice.type === 'appointment' ? readAppointment(api, notice.id, timeZone) : readJob(api, notice.id),
    async writeLink({ record, url, memberName }) {
      await writeNoteOnce(api, await jobOf(api, record), `The video from ${memberName} is ready: ${url}`);
    },
    async writeNote(record, text) {
      await writeNoteOnce(api, await jobOf(api, record), text);
    },
  };
}

const getAppointment = (api: ServiceTitan, id: string) => api.get('get appointment', 'jpm', `/appointments/${id}`);
const getJob = (api: ServiceTitan, id: string) => api.get('get job', 'jpm', `/jobs/${id}`);

/** Notes belong to jobs. */
async function jobOf(api: ServiceTitan, { type, id }: RecordReference): Promise<string> {
  return type === 'job' ? id : readId(await getAppointment(api, id), 'jobId');
}

/** An id in a record of ServiceTitan. They become parts of paths. */
function readId(record: unknown, name: string): string {
  const id = textAt(record, name);
  if (id === undefined || !/^\d{1,19}$/.test(id)) throw new RequestError(400, `${name} is missing`);
  return id;
}

async function readAppointment(api: ServiceTitan, id: string, timeZone: string): Promise<readonly Change[]> {
  const record = { type: 'appointment', id };
  const appointment = await getAppointment(api, id);
  const status = textAt(appointment, 'status');
  const start = toInstant(textAt(appointment, 'arrivalWindowStart')) ?? toInstant(textAt(appointment, 'start'));
  if (status === 'Canceled' || start === undefined) return [{ kind: 'cancellation', record }];
  if (status !== 'Scheduled' && status !== 'Dispatched')
    return [{ kind: 'ignored', record, reason: `the appointment is ${status}` }];
  const job = await getJob(api, readId(appointment, 'jobId'));
  const type = await api.get('get job type', 'jpm', `/job-types/${readId(job, 'jobTypeId')}`);
  const touchpoint = lookUp(TOUCHPOINT_BY_JOB_TYPE, textAt(type, 'name')) ?? lookUp(TOUCHPOINT_BY_JOB_TYPE, '*');
  if (touchpoint === undefined)
    return [{ kind: 'ignored', record, reason: `job type ${textAt(type, 'name')} is not mapped` }];
  const occurredAt = toInstant(textAt(appointment, 'modifiedOn')) ?? start;
  const context = { appointment: { starts_at: start, timezone: timeZone } };
  return [{ kind: 'moment', record, touchpoint, occurredAt, context, ...(await readPeople(api, job, id)) }];
}

async function readJob(api: ServiceTitan, id: string): Promise<readonly Change[]> {
  const record = { type: 'job', id };
  const job = await getJob(api, id);
  const status = textAt(job, 'jobStatus');
  const touchpoint = lookUp(TOUCHPOINT_BY_JOB_STATUS, status);
  if (touchpoint === undefined) return [{ kind: 'ignored', record, reason: `job status ${status} is not mapped` }];
  const occurredAt = toInstant(textAt(job, 'completedOn')) ?? toInstant(textAt(job, 'modifiedOn'));
  if (occurredAt === undefined) throw new RequestError(400, 'the job has no time');
  return [
    {
      kind: 'moment',
      record,
      touchpoint,
      occurredAt,
      ...(await readPeople(api, job, textAt(job, 'lastAppointmentId'))),
    },
  ];
}

/** The customer of a job, and the technician of its appointment. */
async function readPeople(
  api: ServiceTitan,
  job: unknown,
  appointmentId: string | undefined,
): Promise<Pick<Moment, 'members' | 'recipient'>> {
  const customerId = readId(job, 'customerId');
  const [customer, contacts, members] = await Promise.all([
    api.get('get customer', 'crm', `/customers/${customerId}`),
    api.get('list contacts', 'crm', `/customers/${customerId}/contacts`),
    readMembers(api, appointmentId),
  ]);
  return {
    recipient: { ...splitName(textAt(customer, 'name')), phones: orderNumbers(listAt(contacts, 'data')) },
    members,
  };
}

/** ServiceTitan has one field for the name. The first word is the first name; "Smith, Jane" is turned around. */
function splitName(name: string | undefined): { firstName: string | undefined; lastName: string | undefined } {
  const [last, first] = name?.split(',', 2).map((part) => part.trim()) ?? [];
  const words = first ? `${first} ${last}` : name;
  const [firstName, ...rest] = words?.split(/\s+/) ?? [];
  return { firstName, lastName: rest.length === 0 ? undefined : rest.join(' ') };
}

/** Mobile phones first. Other contacts, such as email addresses, are left out. */
function orderNumbers(contacts: readonly unknown[]): (string | undefined)[] {
  const ofType = (type: string) => contacts.filter((contact) => textAt(contact, 'type') === type);
  return [...ofType('MobilePhone'), ...ofType('Phone')].map((contact) => textAt(contact, 'value'));
}

/** The first active technician of an appointment: by id, then by email. */
async function readMembers(api: ServiceTitan, appointmentId: string | undefined): Promise<Moment['members']> {
  if (appointmentId === undefined) return [];
  const path = `/appointment-assignments?appointmentIds=${encodeURIComponent(appointmentId)}`;
  const assignments = listAt(await api.get('list assignments', 'dispatch', path), 'data');
  const active = assignments.find((assignment) => valueAt(assignment, 'active') !== false);
  const id = textAt(active, 'technicianId');
  if (id === undefined) return [];
  const technician = await api.get('get technician', 'settings', `/technicians/${encodeURIComponent(id)}`);
  const email = textAt(technician, 'email');
  return [{ external_id: id }, ...(email === undefined ? [] : [{ email }])];
}

runRecipe({
  name: 'servicetitan',
  create(variables, { timeZone }) {
    const header = variables.text('SERVICETITAN_SIGNATURE_HEADER', 'x-servicetitan-signature').toLowerCase();
    const verification = { header, hmacKey: variables.secret('SERVICETITAN_HMAC_KEY') };
    return createRecipe(connectServiceTitan(variables), verification, timeZone);
  },
});
