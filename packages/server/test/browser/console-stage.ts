import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { systemClock } from '../../src/platform/clock.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { makePng } from '../cli/picture-maker.ts';
import { startReceiver } from '../console/developers-stage.ts';
import { openMailbox } from '../console/mailbox.ts';
import {
  type Api,
  createApi,
  createTestDatabase,
  createTestOrganization,
  foreword,
  type Service,
  startService,
  type TestDatabase,
} from '../harness/index.ts';
import { openChromium } from './chromium.ts';
import { type Company, fillCompany } from './console-company.ts';
import type { Looker } from './console-screen.ts';
import { signIn, sitDown, type Visit } from './console-screens.ts';
import { openCameraBrowser } from './studio.ts';

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const RECORDED_WITHIN_MS = 60_000;

/** The service as somebody starts it for the first time, and what it printed. */
export interface FirstStart {
  readonly database: TestDatabase;
  readonly browser: Browser;
  readonly url: string;
  /** For the operator's command. */
  readonly environment: Record<string, string>;
  /** Of the organization that the service made for them. */
  readonly api: Api;
  readonly signInLink: string;
  /** Whose browser it is says the link of the operator's command, unless one was printed. */
  openDesk(link: string): Promise<Visit>;
  openPhone(link: string): Promise<Visit>;
  linkFor(email: string): Promise<string>;
  kill(): Promise<void>;
  /** As it was before it was killed, at the same address. */
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function openFirstStart(): Promise<FirstStart> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-first-start-'));
  const database = await createTestDatabase();
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: path.join(folder, 'data'),
    OBJECTS_URL: pathToFileURL(path.join(folder, 'objects')).href,
    FOREWORD_DEMO: 'on',
  };
  let service: Service = await startService(environment);
  const { url } = service;
  const output = await eventually(
    async () => service.output(),
    (written) => written.includes('/console/signin/'),
  );
  const [key = ''] = /fw_test_\w+/.exec(output) ?? [];
  const [signInLink = ''] = /http:\S+\/console\/signin\/\S+/.exec(output) ?? [];
  const browser = await openCameraBrowser(folder);
  const open = async (link: string, options: object) => {
    const visit = await sitDown(browser, url, options);
    await signIn(visit, url, link);
    return visit;
  };
  return {
    ...{ database, browser, url, environment, signInLink, api: createApi(url, key) },
    openDesk: (link) => open(link, {}),
    openPhone: (link) => open(link, PHONE),
    async linkFor(email) {
      const { data } = await foreword(environment, 'org', 'list');
      return (await foreword(environment, 'signin', '--org', data[0].id, '--email', email)).url;
    },
    kill: () => service.kill(),
    async startAgain() {
      service = await startService({ ...environment, PORT: new URL(url).port });
    },
    async close() {
      await browser.close();
      await service.stop();
      await database.drop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A service with a company that has been at work for weeks, and one that was just founded. */
export interface BusyStage {
  readonly url: string;
  readonly browser: Browser;
  readonly company: Company;
  visit(who: Looker): Promise<Visit>;
  close(): Promise<void>;
}

async function foundBoth(database: TestDatabase, environment: Record<string, string>, url: string) {
  const busy = await createTestOrganization(environment, url, {
    name: 'Acme Exteriors',
    lanes: ['retail', 'insurance'],
  });
  const founded = await createTestOrganization(environment, url, { name: 'New Roofing' });
  await database.query(`update members set role = 'owner' where organization_id = $1`, [founded.id]);
  return { busy, founded };
}

async function record(api: Api, intro: string): Promise<void> {
  await api.post(`/v1/test_helpers/intros/${intro}/record`);
  await eventually(
    async () => (await api.get(`/v1/intros/${intro}`)).body,
    ({ status }) => status === 'sent',
    RECORDED_WITHIN_MS,
  );
}

/** Without a video where none is looked at: making it takes the longest. */
export async function openBusyStage({ hasVideo = true } = {}): Promise<BusyStage> {
  const database = await createTestDatabase();
  const environment = { DATABASE_URL: database.url, FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
  const mailbox = await openMailbox();
  const service = await startService({ ...environment, ...mailbox.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' });
  const receiver = await startReceiver();
  const { busy, founded } = await foundBoth(database, environment, service.url);
  const company = await fillCompany({
    ...{ organizationId: busy.id, api: busy.api, now: systemClock(), receiverUrl: receiver.url, query: database.query },
    run: (...words) => foreword(environment, ...words),
  });
  if (hasVideo) await record(busy.api, company.sent);
  const photo = path.join(os.tmpdir(), `foreword-photo-${process.pid}.png`);
  fs.writeFileSync(photo, makePng({ width: 320, height: 320 }, [44, 102, 82], [250, 248, 244]));
  await foreword(environment, 'member', 'set', company.ana, '--photo', photo);
  fs.rmSync(photo);
  const browser = await openChromium();
  const people: Partial<Record<Looker, { org: string; email: string }>> = {
    owner: { org: busy.id, email: 'olive@acme.example' },
    manager: { org: busy.id, email: 'ben@acme.example' },
    member: { org: busy.id, email: 'ana@acme.example' },
    founder: { org: founded.id, email: 'ana@acme.example' },
  };
  return {
    ...{ url: service.url, browser, company },
    async visit(who) {
      const visit = await sitDown(browser, service.url);
      const person = people[who];
      if (person !== undefined) {
        const link = await foreword(environment, 'signin', '--org', person.org, '--email', person.email);
        await signIn(visit, service.url, link.url);
      }
      return visit;
    },
    async close() {
      await browser.close();
      await service.stop();
      await receiver.close();
      await mailbox.close();
      await database.drop();
    },
  };
}
