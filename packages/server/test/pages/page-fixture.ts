import { createHash } from 'node:crypto';
import { createConsents, createErasedOptOuts } from '../../src/delivery/index.ts';
import { createServer } from '../../src/http/server.ts';
import { createIntroEvents } from '../../src/intros/index.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { watchLinkHosts } from '../../src/organizations/link-domains/index.ts';
import { findMediaOrigin, registerPages } from '../../src/pages/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { type Objects, openObjects } from '../../src/platform/objects/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createTestClocks } from '../../src/testing/clock/index.ts';
import { createContentSeal, createPublish } from '../../src/webhooks/index.ts';
import { openTestPool } from '../db/fixture.ts';
import type { TestDatabase } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

export const NOW = new Date('2026-03-05T10:00:00.000Z');

/** The number that texts recipients. */
export const TEXTS_FROM = '+13125550199';

type Columns = Record<string, unknown>;

/** Values of a page, by column; each has a default. */
export interface PageSetup {
  organization?: Columns & { logo?: Buffer | null };
  member?: Columns & { photo?: Buffer | null };
  recipient?: string;
  language?: 'en' | 'es';
  context?: object | null;
  action?: { label: string; labelEs?: string; url: string } | null;
  status?: 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';
  responsibility?: 'integration' | 'service';
  sentAt?: Date | null;
  video?: { width: number; height: number; durationMs: number; captions: boolean; preview: boolean } | null;
  files?: Record<string, Buffer>;
}

export type PageIntro = Awaited<ReturnType<typeof insertIntro>>;

const VIDEO = { width: 720, height: 1280, durationMs: 14_600, captions: true, preview: true };
const CONTEXT = {
  title: 'Meet Ana before Tuesday',
  appointment: { starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
  trade: null,
  lane: null,
};
const FILES = {
  'video.mp4': Buffer.from('not a real video'),
  'poster.jpg': Buffer.from('a poster'),
  'card.jpg': Buffer.from('a card'),
  'thumbnail.jpg': Buffer.from('a thumbnail'),
  'preview.webp': Buffer.from('a preview'),
  'captions.vtt': Buffer.from('WEBVTT\n\n00:00.000 --> 00:02.000\nHello Dana\n'),
};

let created = 0;

async function insert(database: TestDatabase, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const parameters = names.map((_, at) => `$${at + 1}`);
  await database.query(`insert into ${table} (${names}) values (${parameters})`, Object.values(row));
}

const ORGANIZATION = {
  name: 'Acme Roofing',
  industry: 'exterior_remodeling',
  timezone: 'America/Chicago',
  office_phone: '+13125550100',
  license: 'IL 104.018842',
  created_at: NOW,
};
const MEMBER = {
  first_name: 'Ana',
  last_name: 'Ng',
  email: 'ana@acme.example',
  phone: '+13125550117',
  title: 'project manager',
  role: 'member',
  created_at: NOW,
};
const TOUCHPOINT = {
  name: 'A moment',
  context: 'none',
  position: 1,
  delivery: 'integration',
  minutes_to_record: 10_080,
  page_title: 'Hello',
  script: 'Hello',
  created_at: NOW,
  updated_at: NOW,
};

interface Target {
  readonly database: TestDatabase;
  readonly objects: Objects;
}

/** Inserts the rows that the service would write. Each page gets its own organization. */
async function insertIntro(target: Target, setup: PageSetup) {
  const { database } = target;
  created += 1;
  const [organizationId, id] = [newId('org', NOW), newId('int', NOW)];
  const token = `Page${String(created).padStart(8, '0')}`;
  const owned = { organization_id: organizationId, environment: 'test' };
  const memberId = await insertTeam(target, setup, organizationId);
  const slug = setup.action ? `moment_${created}` : null;
  if (setup.action) {
    const { label, labelEs = null, url } = setup.action;
    const action = { action_label: label, action_label_es: labelEs, action_url: url };
    await insert(database, 'touchpoints', { ...TOUCHPOINT, ...owned, id: newId('tp', NOW), slug, ...action });
  }
  const status = setup.status ?? 'ready';
  const video = setup.video === undefined ? VIDEO : setup.video;
  const recordingId = newId('rec', NOW);
  await insert(database, 'intros', {
    ...owned,
    id,
    status,
    touchpoint_slug: slug,
    member_id: memberId,
    recipient_first_name: setup.recipient ?? 'Dana',
    recipient_phone: '+14155550123',
    recipient_language: setup.language ?? 'en',
    context: setup.context === null ? null : JSON.stringify(setup.context ?? CONTEXT),
    instructed: true,
    responsibility: setup.responsibility ?? 'integration',
    metadata: '{}',
    created_at: NOW,
    expires_at: status === 'ready' ? new Date(NOW.getTime() + 30 * 86_400_000) : null,
    sent_at: setup.sentAt ?? (status === 'sent' ? NOW : null),
    recording_id: video === null ? null : recordingId,
  });
  /** Key prefix of its objects. */
  const folder = `${organizationId}/${recordingId}/`;
  if (video !== null) {
    await insert(database, 'recordings', {
      ...owned,
      id: recordingId,
      intro_id: id,
      member_id: memberId,
      status: 'ready',
      media_type: 'video/mp4',
      width: video.width,
      height: video.height,
      duration_ms: video.durationMs,
      has_captions: video.captions,
      has_preview: video.preview,
      created_at: NOW,
      touched_at: NOW,
      ready_at: NOW,
    });
    for (const [name, bytes] of Object.entries({ ...FILES, ...setup.files })) {
      await target.objects.put(folder + name, bytes, { type: 'application/octet-stream' });
    }
  }
  const hash = createHash('sha256').update(token).digest();
  await insert(database, 'links', { ...owned, intro_id: id, kind: 'page', hash });
  const pagePath = `/i/${token}`;
  return { id, organizationId, token, path: pagePath, folder, videoPath: `${pagePath}/${recordingId.slice(-10)}.mp4` };
}

/** Inserts the organization and its member, and returns the member's id. */
async function insertTeam({ database, objects }: Target, setup: PageSetup, organizationId: string): Promise<string> {
  const id = newId('mem', NOW);
  const { logo, ...organization } = setup.organization ?? {};
  const { photo, ...member } = setup.member ?? {};
  const logoKey = logo ? `${organizationId}/logo-1.png` : null;
  const photoKey = photo ? `${organizationId}/members/${id}-1.jpg` : null;
  if (logo && logoKey !== null) await objects.put(logoKey, logo, { type: 'image/png' });
  if (photo && photoKey !== null) await objects.put(photoKey, photo, { type: 'image/jpeg' });
  await insert(database, 'organizations', { id: organizationId, ...ORGANIZATION, ...organization, logo: logoKey });
  const owned = { organization_id: organizationId, environment: 'test' };
  await insert(database, 'members', { ...owned, id, ...MEMBER, ...member, photo: photoKey });
  return id;
}

/** Serves only the pages, on loopback, with their own database and object folder. */
export async function openPages(options: { publicUrl?: string; objects?: Objects; redirectMedia?: boolean } = {}) {
  const { database, db, close } = await openTestPool({ keyedPlans: true });
  const folder = temporaryFolder();
  let now = NOW;
  const clock = () => now;
  const objects = options.objects ?? openObjects(`file://${folder}`, { clock });
  const { publicUrl = 'https://intros.acme.example', redirectMedia = false } = options;
  const linkHosts = await watchLinkHosts({ db, log: createLogger('silent') });
  const app = createServer({
    log: createLogger('silent'),
    clock,
    metrics: createMetrics(),
    publicUrl,
    trustsProxy: () => true,
    pathOf: linkHosts.pathOf,
  });
  const serverKey = toServerKey(Buffer.alloc(32, 7));
  const links = createLinks(serverKey, publicUrl);
  const introEvents = createIntroEvents(links, createPublish(createContentSeal(serverKey)));
  /** Phone numbers in `recipient.opted_out` and `recipient.opted_in` events. */
  const optedOut: string[] = [];
  const optedIn: string[] = [];
  registerPages(app, {
    db,
    objects,
    testClocks: createTestClocks({ db, clock }),
    metrics: createMetrics(),
    publicUrl,
    linkHosts,
    mediaOrigin: redirectMedia ? await findMediaOrigin(objects) : null,
    introEvents,
    numberOf: () => TEXTS_FROM,
    consents: createConsents({
      publish: async (_tx, events) => {
        for (const { type, phone } of events) (type === 'recipient.opted_out' ? optedOut : optedIn).push(phone);
      },
      erasedOptOuts: createErasedOptOuts(serverKey),
    }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    app,
    database,
    db,
    objects,
    optedOut,
    optedIn,
    setTime(time: Date) {
      now = time;
    },
    createIntro: (setup: PageSetup = {}) => insertIntro({ database, objects }, setup),
    /** Without an endpoint, no webhook is stored. */
    addEndpoint: ({ organizationId }: PageIntro) =>
      database.sql`insert into webhook_endpoints (organization_id, environment, id, url, events, secret, created_at)
        values (${organizationId}, 'test', 'whk_1', 'https://crm.acme.example/', '{*}', '', now())`,
    async intro(id: string) {
      const [row] = await database.sql<Record<string, unknown>>`select * from intros where id = ${id}`;
      if (row === undefined) throw new Error(`no intro ${id}`);
      return row;
    },
    async close() {
      await app.close();
      await linkHosts.stop();
      await close();
    },
  };
}
