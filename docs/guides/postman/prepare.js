// The pre-request script of the collection: docs/guides/tools.md. Each request gets an object of its own in the state it
// needs, so that requests succeed in any order, and again and again.

const base = pm.variables.get('baseUrl');
const route = `${pm.request.method} /${pm.request.url.path.join('/')}`;
const run = pm.variables.replaceIn('{{$guid}}');

let calls = 0;
async function call(method, path, body) {
  const request = {
    url: base + path,
    method,
    header: {
      Authorization: `Bearer ${pm.variables.get('bearerToken')}`,
      'Content-Type': 'application/json',
      // New objects for every run; your own keys come from your data.
      'Idempotency-Key': `postman:${run}:${calls++}`,
    },
    ...(body !== undefined && { body: { mode: 'raw', raw: JSON.stringify(body) } }),
  };
  const response = await new Promise((resolve, reject) =>
    pm.sendRequest(request, (error, received) => (error ? reject(error) : resolve(received))),
  );
  if (response.code >= 300) throw new Error(`${method} ${path}: ${response.code} ${response.text()}`);
  return response.json();
}

const member = { external_id: 'rep_17' };
const recipient = { first_name: 'Dana', phone: '+15005550123' };

const newIntro = () => call('POST', '/v1/intros', { member, recipient });

async function recordedIntro() {
  const { id } = await newIntro();
  let intro = await call('POST', `/v1/test_helpers/intros/${id}/record`, {});
  // The video is processed in the background: each request waits for the next change.
  for (let tries = 0; intro.status !== 'ready' && tries < 20; tries++)
    intro = await call('GET', `/v1/intros/${id}?wait=10&version=${intro.version}`);
  return intro;
}

async function sentIntro() {
  const { id } = await recordedIntro();
  return call('POST', `/v1/intros/${id}/mark_sent`);
}

async function failedIntro() {
  const { id } = await newIntro();
  return call('POST', `/v1/test_helpers/intros/${id}/fail`, { step: 'recording', code: 'not_a_video' });
}

const newEvent = (to = recipient) =>
  call('POST', '/v1/touchpoint-events', {
    touchpoint: 'project_update',
    occurred_at: new Date().toISOString(),
    member,
    recipient: to,
  });

async function failedEvent() {
  const optedOut = { first_name: 'Kim', phone: '+15005550177' };
  const { id } = await call('POST', '/v1/intros', { member, recipient: optedOut });
  await call('POST', `/v1/test_helpers/intros/${id}/opt_out`);
  const event = await newEvent(optedOut);
  return call('GET', `/v1/events/${event.id}?wait=20`);
}

async function activeEndpoint() {
  const { data } = await call('GET', '/v1/webhook_endpoints');
  const url = 'https://crm.acme.example/foreword';
  return data.find(({ active }) => active) ?? call('POST', '/v1/webhook_endpoints', { url });
}

async function testMessage() {
  const { id } = await activeEndpoint();
  return call('POST', `/v1/webhook_endpoints/${id}/test`, {});
}

async function linkDomain() {
  const { data } = await call('GET', '/v1/link-domains');
  return data[0] ?? call('POST', '/v1/link-domains', { host: 'links.acme.example' });
}

const newMember = () =>
  call('POST', '/v1/members', { first_name: 'Rosa', last_name: 'Diaz', email: 'rosa@acme.example' });

const newErasure = () => call('POST', '/v1/recipients/erase', { phone: '+15005550188' });

const first = async (path) => (await call('GET', path)).data[0];

/** The first entry whose pattern matches makes the object. */
const OBJECTS = [
  [/\/(mark_sent|open|watch|reply)$/, recordedIntro],
  [/\/take_down$/, sentIntro],
  [/retry_recording/, failedIntro],
  [/\/erasures\/:id/, newErasure],
  [/\/intros\/:id/, newIntro],
  [/\/events\/:id\/retry/, failedEvent],
  [/\/events\/:id/, () => newEvent()],
  [/\/webhook_endpoints\/:id/, activeEndpoint],
  [/\/webhook_messages\/:id/, testMessage],
  [/\/link-domains\/:id/, linkDomain],
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
