// The pre-request script of the collection: docs/guides/tools.md. Each request gets an object of its own in the state it
// needs, so that requests succeed in any order, and again and again.

const base = pm.variables.get('baseUrl');
const route = `${pm.request.method} /${pm.request.url.path.join('/')}`;
const run = pm.variables.replaceIn('{{$guid}}');
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let calls = 0;
async function call(method, path, body, type = 'application/json') {
  const request = {
    url: base + path,
    method,
    header: {
      Authorization: `Bearer ${pm.variables.get('bearerToken')}`,
      'Content-Type': type,
      // New objects for every run; your own keys come from your data.
      'Idempotency-Key': `postman:${run}:${calls++}`,
    },
    ...(body !== undefined && { body: { mode: 'raw', raw: typeof body === 'string' ? body : JSON.stringify(body) } }),
  };
  const response = await new Promise((resolve, reject) =>
    pm.sendRequest(request, (error, received) => (error ? reject(error) : resolve(received))),
  );
  if (response.code >= 300) throw new Error(`${method} ${path}: ${response.code} ${response.text()}`);
  return response.json();
}

/** Repeats a request until its response is as wanted: videos are processed in the background. */
async function until(path, isDone) {
  for (let tries = 0; tries < 200; tries++) {
    const body = await call('GET', path);
    if (isDone(body)) return body;
    await sleep(500);
  }
  throw new Error(`${path} did not change in time`);
}

const member = { external_id: 'rep_17' };
const recipient = { first_name: 'Dana', phone: '+15005550123' };

const newIntro = () => call('POST', '/v1/intros', { member, recipient });

async function recordedIntro() {
  const { id } = await newIntro();
  await call('POST', `/v1/test_helpers/intros/${id}/record`, {});
  return until(`/v1/intros/${id}`, ({ status }) => status === 'ready');
}

async function failedIntro() {
  const intro = await newIntro();
  await call('POST', `/v1/test_helpers/intros/${intro.id}/record`, 'This is not a video. '.repeat(50), 'video/mp4');
  await until(`/v1/intros/${intro.id}/timeline`, ({ data }) => data.at(-1).type === 'recording_refused');
  return intro;
}

const newEvent = () =>
  call('POST', '/v1/touchpoint-events', {
    touchpoint: 'project_update',
    occurred_at: new Date().toISOString(),
    member,
    recipient,
  });

async function activeEndpoint() {
  const { data } = await call('GET', '/v1/webhook_endpoints');
  const url = 'https://crm.acme.example/foreword';
  return data.find(({ active }) => active) ?? call('POST', '/v1/webhook_endpoints', { url });
}

const newMember = () =>
  call('POST', '/v1/members', { first_name: 'Rosa', last_name: 'Diaz', email: 'rosa@acme.example' });

const first = async (path) => (await call('GET', path)).data[0];

/** The first entry whose pattern matches makes the object. */
const OBJECTS = [
  [/mark_sent/, recordedIntro],
  [/retry_recording/, failedIntro],
  [/\/intros\/:id/, newIntro],
  [/\/events\/:id/, newEvent],
  [/\/webhook_endpoints\/:id/, activeEndpoint],
  [/\/members\/:id/, newMember],
  [/\/touchpoints\/:id/, () => first('/v1/touchpoints')],
];

async function prepare() {
  const [, create] = OBJECTS.find(([pattern]) => pattern.test(route)) ?? [];
  if (create === undefined) return;
  const { id } = await create();
  pm.request.url.variables.upsert({ key: 'id', value: id });
}

// Shown with the results of the run.
prepare().catch((error) =>
  pm.test(`Prepare ${route}`, () => {
    throw error;
  }),
);
