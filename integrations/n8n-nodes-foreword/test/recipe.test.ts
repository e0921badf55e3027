import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { forFile, openService } from '../../../packages/server/test/harness/index.ts';
import { Instance } from './instance.ts';
import { execute, loadWorkflow, resultOf, type WorkflowJson } from './n8n.ts';

const read = (file: string) => fs.readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
const published: WorkflowJson = JSON.parse(read('example.json'));
/** The body that the CRM sends, according to the page. */
const body: Record<string, unknown> = JSON.parse(
  /^```text\n(\{.*?^\})\n```$/ms.exec(read('../../docs/recipes/n8n.md'))?.[1] ?? '',
);

/** After the import, the user selects a credential in each Foreword node. */
const workflow: WorkflowJson = {
  ...published,
  nodes: published.nodes.map((node) => ({ ...node, credentials: { forewordApi: { id: '1', name: 'Foreword' } } })),
};

const fixture = await forFile(openService());
const credential = { baseUrl: fixture.service.url, apiKey: fixture.organization.key };
const n8n = await forFile(Instance.start(workflow, 'Video is ready', credential));

test('the workflow of the page reports an appointment once and marks its intro as sent when the video is ready', async () => {
  const { id } = fixture.organization;
  await fixture.run('touchpoint', 'set', '--org', id, 'new_appointment', '--delivery', 'integration');
  await n8n.activate();
  const receive = async () => {
    const items = [{ json: { body } }] as Parameters<typeof execute>[2];
    const run = await execute(loadWorkflow(workflow), 'CRM webhook', items, n8n.settings);
    return resultOf(run, 'Report the appointment');
  };
  const first = await receive();
  expect(first.error).toBeUndefined();
  expect(first.json).toMatchObject([{ status: 'processed', reference: { source: 'acme_crm', id: 'appt_8812' } }]);
  // The CRM sends its webhook again.
  expect((await receive()).json).toMatchObject([{ id: first.json[0].id, intro: first.json[0].intro }]);
  expect((await fixture.api.get('/v1/intros')).body.data).toHaveLength(1);

  await fixture.api.post(`/v1/test_helpers/intros/${first.json[0].intro}/record`);
  await expect.poll(() => n8n.deliveries.length, { timeout: 100_000 }).toBe(1);
  const [delivery] = n8n.deliveries;
  expect(delivery?.status).toBe(200);
  const run = delivery?.run;
  if (run === undefined) throw new Error('no execution');
  expect(resultOf(run, 'Video is ready').json).toMatchObject([
    { id: expect.stringMatching(/^msg_/), type: 'intro.ready', data: { id: first.json[0].intro, status: 'ready' } },
  ]);
  expect(resultOf(run, 'Read the intro').json).toMatchObject([{ delivery: { recipient_url: expect.any(String) } }]);
  expect(resultOf(run, 'Mark as sent').json).toMatchObject([{ id: first.json[0].intro, status: 'sent' }]);
  expect((await fixture.api.get(`/v1/intros/${first.json[0].intro}`)).body.status).toBe('sent');
  await n8n.deactivate();
});
