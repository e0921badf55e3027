import fs from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { freePort, openService, type ServiceFixture } from '../../packages/server/test/harness/index.ts';
import type { CrmServer } from './crm-server.ts';
import { type RecipeProcess, startRecipe } from './recipe-process.ts';

export interface RecipeFixture {
  readonly service: ServiceFixture;
  /** The running recipe; another one after `restart`. */
  readonly recipe: RecipeProcess;
  readonly environment: Record<string, string> & { PORT: string };
  /** Sends a webhook as the CRM does; returns the status. */
  send(path: string, body: unknown, headers?: Record<string, string>): Promise<number>;
  /** The intros of a record, newest first, once its events are processed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, like an integrator's script.
  intros(recordId: string): Promise<any[]>;
  /** Sends `intro.ready` as Foreword does after the recording of the newest intro of a record, and returns the intro. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  sendReady(recordId: string): Promise<any>;
  /** SIGKILL, and a new process with the same settings. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A fixture file of a recipe, with some values replaced. */
// biome-ignore lint/suspicious/noExplicitAny: fixtures have the vendor's shape.
export function readFixture(recipe: string, name: string): any {
  return JSON.parse(fs.readFileSync(path.join(import.meta.dirname, `../${recipe}/fixtures/${name}.json`), 'utf8'));
}

/** A real service, a recipe's built file as a process, and Foreword's webhook from one to the other. */
export async function openRecipe(
  name: string,
  crm: CrmServer,
  settings: Record<string, string>,
  options: Parameters<typeof openService>[1] = {},
): Promise<RecipeFixture> {
  const service = await openService({}, options);
  const { api, organization } = service;
  const port = await freePort();
  const endpoint = await api.post('/v1/webhook_endpoints', {
    url: `http://127.0.0.1:${port}/foreword`,
    events: ['intro.ready'],
  });
  expect(endpoint.status).toBe(201);
  const environment = {
    PORT: String(port),
    FOREWORD_URL: service.service.url,
    FOREWORD_API_KEY: organization.key,
    FOREWORD_WEBHOOK_SECRET: endpoint.body.secret as string,
    TIME_ZONE: 'America/Chicago',
    ...settings,
  };
  let recipe = await startRecipe(name, environment);
  let output = '';
  const fixture: RecipeFixture = {
    service,
    get recipe() {
      return recipe;
    },
    environment,
    async send(where, body, headers = {}) {
      const response = await fetch(recipe.url + where, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      await response.text();
      return response.status;
    },
    async intros(recordId) {
      const query = `reference_id=${encodeURIComponent(recordId)}`;
      await expect.poll(async () => (await api.get(`/v1/events?status=accepted&${query}`)).body.data).toEqual([]);
      return (await api.get(`/v1/intros?${query}`)).body.data;
    },
    async sendReady(recordId) {
      const [intro] = await fixture.intros(recordId);
      const delivery = { ...intro.delivery, recipient_url: `${service.service.url}/i/of-${intro.id}` };
      const body = JSON.stringify({ type: 'intro.ready', data: { ...intro, status: 'ready', delivery } });
      const [id, at] = [`msg_${intro.id}`, new Date()];
      const status = await fixture.send('/foreword', body, {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': new Webhook(environment.FOREWORD_WEBHOOK_SECRET).sign(id, at, body),
      });
      expect(status).toBe(200);
      return intro;
    },
    async restart() {
      output += recipe.output();
      await recipe.kill();
      recipe = await startRecipe(name, environment);
    },
    async close() {
      output += recipe.output();
      expect(await recipe.stop()).toBe(0);
      await service.close();
      await crm.close();
      expect(crm.violations).toEqual([]);
      // Neither secrets nor numbers of recipients.
      for (const secret of [
        environment.FOREWORD_API_KEY,
        environment.FOREWORD_WEBHOOK_SECRET,
        ...Object.values(settings),
      ])
        if (secret.length >= 16 && !secret.startsWith('http')) expect(output).not.toContain(secret);
      expect(output).not.toMatch(/\+1\d{10}/);
    },
  };
  return fixture;
}
