/** Connects AccuLynx: job milestones and appointments become touchpoint events. */

import { INITIAL_APPOINTMENT, TOUCHPOINT_BY_MILESTONE } from './mapping.ts';

// The mapping is first, so that it is at the top of the built file.

import {
  type Change,
  type CrmApi,
  createCrmApi,
  ifPresent,
  isSameSecret,
  listAt,
  lookUp,
  type Moment,
  parseJson,
  type Recipe,
  RequestError,
  requiredText,
  runRecipe,
  textAt,
  toInstant,
  valueAt,
} from '../bridge/index.ts';

/** A webhook names the job. The rest is read from the API, because a webhook may be late or repeated. */
interface Notice {
  readonly topic: string;
  readonly jobId: string;
  readonly milestone: string | undefined;
  readonly happenedAt: string;
}

const MILESTONE_CHANGED = 'job.milestone.current_changed';
const APPOINTMENT_TOPICS = ['job.appointments.initial_created', 'job.appointments.initial_updated'];
/** AccuLynx waits 10 seconds. */
const ANSWER_WITHIN_MS = 9_000;
/** A job in this milestone has no appointments any more. */
const CANCELLED = 'Cancelled';

function createRecipe(api: CrmApi, secret: string, timeZone: string): Recipe<Notice> {
  return {
    source: 'acculynx',
    touchpoints: [...Object.values(TOUCHPOINT_BY_MILESTONE), INITIAL_APPOINTMENT].filter((slug) => slug !== ''),
    answerWithinMs: ANSWER_WITHIN_MS,
    receive({ pathSecret, rawBody }) {
      if (!isSameSecret(pathSecret, secret)) throw new RequestError(401, 'the secret in the URL is wrong');
      const body = parseJson(rawBody);
      const topic = requiredText(body, 'topicName');
      const happenedAt = toInstant(requiredText(body, 'eventDateTime'));
      if (happenedAt === undefined) throw new RequestError(400, 'eventDateTime is not a time');
      if (topic !== MILESTONE_CHANGED && !APPOINTMENT_TOPICS.includes(topic)) return [];
      const milestone = textAt(body, 'event.job.milestone.name');
      return [{ topic, happenedAt, jobId: requiredText(body, 'event.job.id'), milestone }];
    },
    recordOf: ({ jobId }) => `job:${jobId}`,
    read: (notice) => readJob(api, notice, timeZone),
    async writeLink({ record, url, memberName }) {
      await writeMessage(api, record.id, `The video from ${memberName} is ready: ${url}`);
    },
    async writeNote(record, text) {
      await writeMessage(api, record.id, text);
    },
  };
}

const jobPath = (id: string): string => `/jobs/${encodeURIComponent(id)}`;

/** AccuLynx has no operation that reads messages, so a repeat cannot be recognized here. */
async function writeMessage(api: CrmApi, jobId: string, message: string): Promise<void> {
  await api.call({
    operation: 'create job message',
    method: 'POST',
    path: `${jobPath(jobId)}/messages`,
    json: { message },
  });
}

async function readJob(api: CrmApi, notice: Notice, timeZone: string): Promise<readonly Change[]> {
  const { topic, jobId, milestone, happenedAt } = notice;
  const record = { type: 'job', id: jobId };
  if (topic === MILESTONE_CHANGED) {
    if (milestone === CANCELLED) return [{ kind: 'cancellation', record }];
    const touchpoint = lookUp(TOUCHPOINT_BY_MILESTONE, milestone);
    if (touchpoint === undefined) return [{ kind: 'ignored', record, reason: `milestone ${milestone} is not mapped` }];
    return [{ kind: 'moment', record, touchpoint, occurredAt: happenedAt, ...(await readPeople(api, jobId)) }];
  }
  if (INITIAL_APPOINTMENT === '') return [{ kind: 'ignored', record, reason: 'appointments are not mapped' }];
  const appointment = await ifPresent(
    api.call({
      operation: 'get initial appointment',
      path: `${jobPath(jobId)}/initial-appointment`,
    }),
  );
  const start = toInstant(textAt(appointment, 'startDate'));
  if (start === undefined) return [{ kind: 'cancellation', record, touchpoints: [INITIAL_APPOINTMENT] }];
  const context = { appointment: { starts_at: start, timezone: timeZone } };
  const people = await readPeople(api, jobId);
  return [{ kind: 'moment', record, touchpoint: INITIAL_APPOINTMENT, occurredAt: happenedAt, context, ...people }];
}

type People = Pick<Moment, 'members' | 'recipient'>;

/** The customer of a job, and the user who is its company representative. */
async function readPeople(api: CrmApi, jobId: string): Promise<People> {
  const [contacts, representative] = await Promise.all([
    api.call({ operation: 'list job contacts', path: `${jobPath(jobId)}/contacts?includes=contact` }),
    // A job may have none yet.
    ifPresent(api.call({ operation: 'get company representative', path: `${jobPath(jobId)}/representatives/company` })),
  ]);
  const items = listAt(contacts, 'items');
  const primary = items.find((item) => valueAt(item, 'isPrimary') === true) ?? items[0];
  const contactId = textAt(primary, 'contact.id');
  const numbers =
    contactId === undefined
      ? undefined
      : await api.call({
          operation: 'list phone numbers',
          path: `/contacts/${encodeURIComponent(contactId)}/phone-numbers`,
        });
  return {
    recipient: {
      firstName: textAt(primary, 'contact.firstName') ?? textAt(primary, 'contact.companyName'),
      lastName: textAt(primary, 'contact.lastName'),
      phones: orderNumbers(listAt(numbers, 'items')),
    },
    members: await readMembers(api, textAt(representative, 'user.id')),
  };
}

/** Mobile numbers first, then the primary one. */
function orderNumbers(numbers: readonly unknown[]): (string | undefined)[] {
  const rank = (number: unknown) =>
    (textAt(number, 'type') === 'Mobile' ? 0 : 2) + (valueAt(number, 'primary') === true ? 0 : 1);
  return [...numbers].sort((a, b) => rank(a) - rank(b)).map((number) => textAt(number, 'number'));
}

async function readMembers(api: CrmApi, userId: string | undefined): Promise<Moment['members']> {
  if (userId === undefined) return [];
  const user = await api.call({ operation: 'get user', path: `/users/${encodeURIComponent(userId)}` });
  const email = textAt(user, 'email');
  return [{ external_id: userId }, ...(email === undefined ? [] : [{ email }])];
}

runRecipe({
  name: 'acculynx',
  create(variables, { timeZone }) {
    const key = variables.text('ACCULYNX_API_KEY');
    const baseUrl = variables.url('ACCULYNX_API_URL', 'https://api.acculynx.com/api/v2');
    const api = createCrmApi({
      baseUrl,
      authorize: async () => ({ authorization: `Bearer ${key}` }),
      deadlineMs: 7_000,
    });
    return createRecipe(api, variables.secret('ACCULYNX_WEBHOOK_SECRET'), timeZone);
  },
});
