import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openCameraBrowser } from '../../../web/test/phone.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import { openInbox } from '../console/inbox.ts';
import {
  type Api,
  createApi,
  createTestDatabase,
  createTestOrganization,
  foreword,
  startService,
  type TestDatabase,
} from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { openChromium } from './chromium.ts';
import { type ConsolePage, openConsolePage, signIn } from './console-browser.ts';
import { createSampleCompany } from './console-sample-data.ts';
import type { Viewer } from './console-screen.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const RECORDED_WITHIN_MS = 60_000;

/** A service after its first start, with the demo organization and its API, and how to sign in to it. */
export async function openFirstStart() {
  const folder = temporaryFolder();
  const database = await createTestDatabase();
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: path.join(folder, 'data'),
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
    FOREWORD_DEMO: 'on',
  };
  const service = await startService(environment);
  const { url } = service;
  const output = await eventually(
    async () => service.output(),
    (text) => text.includes('/console/signin/'),
  );
  const [key = ''] = /fw_test_\w+/.exec(output) ?? [];
  const [signInLink = ''] = /http:\S+\/console\/signin\/\S+/.exec(output) ?? [];
  const browser = await openCameraBrowser();
  const open = async (link: string, options: object) => {
    const opened = await openConsolePage(browser, url, options);
    await signIn(opened.page, url, link);
    return opened;
  };
  return {
    ...{ database, browser, url, environment, signInLink, api: createApi(url, key) },
    openDesktop: (link: string) => open(link, {}),
    openPhone: (link: string) => open(link, PHONE),
    async createSignInLink(email: string): Promise<string> {
      const { data } = await foreword(environment, 'org', 'list');
      return (await foreword(environment, 'signin', '--org', data[0].id, '--email', email)).url;
    },
    async close() {
      await browser.close();
      await service.stop();
      await database.drop();
    },
  };
}

async function createBoth(database: TestDatabase, environment: Record<string, string>, url: string) {
  const sample = await createTestOrganization(environment, url, {
    name: 'Acme Exteriors',
    lanes: ['retail', 'insurance'],
  });
  const empty = await createTestOrganization(environment, url, { name: 'New Roofing' });
  await database.sql`update members set role = 'owner' where organization_id = ${empty.id}`;
  return { sample, empty };
}

async function record(api: Api, intro: string): Promise<void> {
  await api.post(`/v1/test_helpers/intros/${intro}/record`);
  await eventually(async () => (await api.get(`/v1/intros/${intro}`)).body, { status: 'sent' }, RECORDED_WITHIN_MS);
}

/**
 * A service with a company that has weeks of activity, and an empty one. The video takes longest to create, so tests that don't need
 * it leave it out.
 */
export async function openConsoleFixture({ hasVideo = true } = {}) {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
  const inbox = await openInbox();
  const service = await startService({ ...environment, ...inbox.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' });
  const receiver = await startReceiver();
  const { sample, empty } = await createBoth(database, environment, service.url);
  const company = await createSampleCompany({
    ...{
      organizationId: sample.id,
      api: sample.api,
      now: systemClock(),
      receiverUrl: receiver.url,
      query: database.query,
    },
    run: (...args) => foreword(environment, ...args),
  });
  if (hasVideo) await record(sample.api, company.sent);
  const photo = path.join(os.tmpdir(), `foreword-photo-${process.pid}.png`);
  fs.writeFileSync(photo, makePng({ width: 320, height: 320 }, [44, 102, 82], [250, 248, 244]));
  await foreword(environment, 'member', 'set', company.ana, '--photo', photo);
  fs.rmSync(photo);
  const browser = await openChromium();
  const people: Partial<Record<Viewer, { org: string; email: string }>> = {
    owner: { org: sample.id, email: 'olive@acme.example' },
    manager: { org: sample.id, email: 'ben@acme.example' },
    member: { org: sample.id, email: 'ana@acme.example' },
    emptyOwner: { org: empty.id, email: 'ana@acme.example' },
  };
  const createSignInLink = async (viewer: Viewer): Promise<string> => {
    const person = people[viewer];
    if (person === undefined) throw new Error(`${viewer} cannot sign in`);
    const { url } = await foreword(environment, 'signin', '--org', person.org, '--email', person.email);
    return service.url + new URL(url).pathname;
  };
  return {
    ...{ url: service.url, browser, company, database, createSignInLink },
    /** The recorder of an intro to record, and the page of a recorded one. */
    async findLinks() {
      const { url } = await foreword(environment, 'intro', 'link', company.requested);
      const { body } = await sample.api.get(`/v1/intros/${company.sent}`);
      return [url, body.delivery.recipient_url].map((link) => service.url + new URL(link).pathname);
    },
    async openAs(viewer: Viewer): Promise<ConsolePage> {
      const opened = await openConsolePage(browser, service.url);
      if (people[viewer] !== undefined) await signIn(opened.page, service.url, await createSignInLink(viewer));
      return opened;
    },
    async close() {
      await browser.close();
      await service.stop();
      await receiver.close();
      await inbox.close();
      await database.drop();
    },
  };
}
