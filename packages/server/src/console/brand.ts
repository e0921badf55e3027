/** Edits the brand, with a preview of the recipient page. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import {
  type BRAND_OPERATIONS,
  type Brand,
  type BrandDraft,
  type BrandPreview,
  type BrandShades,
  DAY_MS,
  PICTURE_MAX_BYTES,
  REPLY_TYPES,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Db, Row, Tenant } from '../db/tenancy.ts';
import {
  changeSettings,
  type DeliverySettings,
  type RecipientText,
  readAccount,
  readSettings,
  writeRecipientText,
} from '../delivery/index.ts';
import {
  brandColors,
  changeBrand,
  contrastBetween,
  DEFAULT_ACCENT,
  findOrganization,
  pickBrand,
  type Shades,
} from '../organizations/index.ts';
import {
  createFileSender,
  type PageView,
  renderSample,
  type Scheme,
  sendDocument,
  toOrganizationView,
} from '../pages/index.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { localDate, parseZonedTime } from '../platform/instants.ts';
import { type Seal, sealWith } from '../platform/seal.ts';
import { changedFields } from '../privacy/audit/index.ts';
import { BUILT_IN_CLIP, BUILT_IN_POSTER, deletePicture, storePicture } from '../recordings/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import { fileUrl } from './session.ts';
import type { ConsoleUser } from './sessions/service.ts';

type Hours = Pick<DeliverySettings, 'texts_from' | 'texts_until'>;

const presentBrand = (row: Row<'organizations'>, { texts_from, texts_until }: Hours): Brand => ({
  ...pickBrand(row),
  version: row.version,
  texts_from,
  texts_until,
  logo_url: fileUrl(row.logo),
});

/** Trims the texts and lowercases the color, because colors are compared as text. */
function normalize(draft: BrandDraft): BrandDraft {
  const license = draft.license?.trim() ?? '';
  const replies = REPLY_TYPES.map((type) => [`reply_${type}`, draft[`reply_${type}`]?.trim() || null]);
  return {
    ...draft,
    name: draft.name.trim(),
    accent: draft.accent?.toLowerCase() ?? null,
    license: license === '' ? null : license,
    ...Object.fromEntries(replies),
  };
}

function presentShades({ accent, edge, onAccent, accentText }: Shades, chosen: string | null): BrandShades {
  const wanted = chosen ?? DEFAULT_ACCENT;
  return {
    accent,
    edge,
    on_accent: onAccent,
    accent_text: accentText,
    button_differs: accent !== wanted,
    text_differs: accentText !== wanted,
    contrast: Math.round(contrastBetween(onAccent, accent) * 10) / 10,
  };
}

const conflict = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Someone else changed the brand while you were editing. Your changes were not saved. Review the new version first.',
  );

/** Checks rules that a schema cannot express. */
function requireValid({ name, texts_from, texts_until }: BrandDraft): void {
  if (name === '') throw invalid('name', 'must not be empty');
  if (texts_from >= texts_until) throw invalid('texts_until', 'must be later than texts_from');
}

async function saveBrand(
  { db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>,
  tenant: Tenant,
  { version, ...given }: BrandDraft & { readonly version: number },
): Promise<Brand> {
  const draft = normalize(given);
  requireValid(draft);
  const { texts_from, texts_until, ...change } = draft;
  const hours = { texts_from, texts_until };
  return db.kysely.transaction().execute(async (tx) => {
    const before = await readSettings(tx, tenant);
    const otherFields = changedFields({ texts_from: before.texts_from, texts_until: before.texts_until }, hours);
    const row = await changeBrand(tx, tenant.organizationId, change, { edited: version, otherFields });
    if (row === null) throw conflict();
    if (otherFields.length > 0) await changeSettings(tx, tenant, hours, clock());
    return presentBrand(row, hours);
  });
}

type LogoDeps = Pick<ConsoleDeps, 'db' | 'objects' | 'encoder' | 'log'>;

async function uploadLogo(deps: LogoDeps, { organizationId }: Tenant, bytes: Buffer): Promise<string> {
  if (bytes.length > PICTURE_MAX_BYTES) throw invalid('file', `is larger than ${PICTURE_MAX_BYTES / 1e6} MB`);
  const keyFor = (hash: string): string => `${organizationId}/logo-${hash}.png`;
  const stored = await storePicture(deps, { bytes, shape: 'logo', keyFor });
  if ('refused' in stored) throw invalid('file', stored.refused);
  return stored.key;
}

/** Deletes a replaced logo. Reads the row again, because the same picture (the same key) may have been set meanwhile. */
async function deleteLogoIfUnused(
  { db, objects, log }: LogoDeps,
  { organizationId }: Tenant,
  key: string,
): Promise<void> {
  const row = await findOrganization(db.kysely, organizationId);
  if (row?.logo === key) return;
  await deletePicture(objects, key).catch((err: unknown) => {
    log.warn({ err, organization: organizationId }, 'an unused logo was not deleted');
  });
}

/** Without bytes, removes the logo. */
async function changeLogo(
  deps: LogoDeps,
  tenant: Tenant,
  { edited, bytes }: { readonly edited: number; readonly bytes: Buffer | null },
): Promise<Brand> {
  const { kysely } = deps.db;
  const before = await findOrganization(kysely, tenant.organizationId);
  // Fails early, before the picture is decoded. The update below decides.
  if (before === null || before.version !== edited) throw conflict();
  const logo = bytes === null ? null : await uploadLogo(deps, tenant, bytes);
  const row: Row<'organizations'> | null = await kysely
    .transaction()
    .execute((tx) => changeBrand(tx, tenant.organizationId, { logo }, { edited }));
  const unused = row === null ? logo : before.logo;
  if (unused !== null && unused !== row?.logo) await deleteLogoIfUnused(deps, tenant, unused);
  if (row === null) throw conflict();
  return presentBrand(row, await readSettings(kysely, tenant));
}

/** Fictional names, so that the preview is clearly a sample. */
const RECIPIENT = { first_name: 'Sarah', last_name: 'Miller' } as const;
const MEMBER = { first_name: 'Jane', last_name: 'Turner' } as const;
const MEMBER_TITLE = 'project advisor';
/** As long as a page's real token. */
const TOKEN = 'Kq3vT8mXb2Za';
const CLIP = { width: 720, height: 1280, durationMs: 4_000 } as const;
const CLIP_NAME = 'sample';

interface Setting {
  readonly publicUrl: string;
  readonly now: Date;
}

/** In two days at 2:30 PM, in the organization's time zone. */
function appointmentOf(timezone: string, now: Date): Date {
  const day = localDate(new Date(now.getTime() + 2 * DAY_MS), timezone);
  return parseZonedTime(`${day}T14:30:00`, timezone) ?? now;
}

const sampleText = ({ name, timezone, language }: BrandDraft, { publicUrl, now }: Setting): RecipientText => ({
  template: null,
  language,
  values: {
    recipient: RECIPIENT,
    member: MEMBER,
    organization: { name },
    appointment: { startsAt: appointmentOf(timezone, now), timezone },
    trade: null,
    lane: null,
  },
  link: `${publicUrl}/i/${TOKEN}`,
  isFirst: true,
});

const samplePage = (
  draft: BrandDraft,
  { logo, url, now }: Pick<Row<'organizations'>, 'logo'> & { readonly url: string; readonly now: Date },
): PageView => ({
  introId: 'sample',
  language: draft.language,
  url,
  title: null,
  madeAtMs: now.getTime(),
  recipient: { firstName: RECIPIENT.first_name },
  member: {
    firstName: MEMBER.first_name,
    lastName: MEMBER.last_name,
    title: MEMBER_TITLE,
    phone: null,
    photo: null,
  },
  reply: null,
  optOut: null,
  textsFrom: null,
  replacedFor: null,
  organization: toOrganizationView({ ...pickBrand(draft), logo }),
  appointment: { startsAtMs: appointmentOf(draft.timezone, now).getTime(), timezone: draft.timezone },
  action: { label: 'See what to expect', url: 'https://example.com/' },
  video: { name: CLIP_NAME, folder: '', ...CLIP, captionsLanguage: null, hasPreview: false },
});

export interface SampleFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The sample page's video and poster, loaded on first use. */
function createSampleFiles(): (name: string) => SampleFile | null {
  const cache = new Map<string, SampleFile>();
  const sources: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
    [`${CLIP_NAME}.mp4`]: { file: BUILT_IN_CLIP, type: 'video/mp4' },
    'poster.jpg': { file: BUILT_IN_POSTER, type: 'image/jpeg' },
  };
  return (name) => {
    const known = cache.get(name);
    if (known !== undefined) return known;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) return null;
    const read = { type: source.type, bytes: readFileSync(source.file) };
    cache.set(name, read);
    return read;
  };
}

const PATH = '/console/brand-preview';
const SEAL_PURPOSE = 'preview of a brand';
/** Every change creates a new preview, so an old one is not needed for long. */
const DRAFT_LIFE_MS = 600_000;

interface Sealed {
  readonly draft: BrandDraft;
  readonly untilMs: number;
}

/** A preview link works only for the user who created it. */
const bindingOf = ({ tenant, memberId }: ConsoleUser): string => `${tenant.organizationId} ${memberId}`;

const sealOf = ({ serverKey }: Pick<ConsoleDeps, 'serverKey'>): Seal => sealWith(serverKey, SEAL_PURPOSE);

function openDraft(seal: Seal, token: string | undefined, user: ConsoleUser, now: Date): BrandDraft | null {
  try {
    const { draft, untilMs } = JSON.parse(seal.open(Buffer.from(token ?? '', 'base64url'), bindingOf(user))) as Sealed;
    return now.getTime() < untilMs ? draft : null;
  } catch {
    return null;
  }
}

/** Previews of a draft. Nothing is stored: the link contains the draft, encrypted. */
function createPreview(deps: Pick<ConsoleDeps, 'db' | 'carriers' | 'serverKey' | 'clock' | 'publicUrl'>) {
  const seal = sealOf(deps);
  return {
    async describe(user: ConsoleUser, given: BrandDraft): Promise<BrandPreview> {
      const draft = normalize(given);
      const now = deps.clock();
      const untilMs = now.getTime() + DRAFT_LIFE_MS;
      const token = seal
        .close(JSON.stringify({ draft, untilMs } satisfies Sealed), bindingOf(user))
        .toString('base64url');
      const account = await readAccount(deps.db.kysely, user.tenant);
      const { light, dark } = brandColors(draft.accent);
      const { body } = writeRecipientText(sampleText(draft, { publicUrl: deps.publicUrl, now }));
      return {
        page_path: `${PATH}?draft=${token}`,
        light: presentShades(light, draft.accent),
        dark: presentShades(dark, draft.accent),
        text: { body },
        // An organization's own account has prices of its own.
        segment_price: account === null ? deps.carriers.segmentPrice : null,
      };
    },
  };
}

const tagOf = ({ bytes }: SampleFile): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Serves the recipient page of a draft and its files, for a frame in the console. */
export function registerBrandPreview(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const { db, objects, clock } = deps;
  const seal = sealOf(deps);
  const sampleFile = createSampleFiles();
  const sender = createFileSender({
    async open(name) {
      const file = sampleFile(name);
      if (file === null) return objects.open(name);
      const { bytes } = file;
      const stream = async ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
        Readable.from([bytes.subarray(start, end + 1)]);
      return { size: bytes.length, etag: tagOf(file), stream };
    },
  });

  app.get<{ Querystring: { draft?: string; scheme?: string } }>(
    PATH,
    { config: { operation: 'console_brand_preview' } },
    async (request, reply) => {
      const user = await access.admit(request, 'manager');
      const { draft: token, scheme } = request.query;
      const now = clock();
      const draft = openDraft(seal, typeof token === 'string' ? token : undefined, user, now);
      const organization = draft === null ? null : await findOrganization(db.kysely, user.tenant.organizationId);
      if (draft === null || organization === null) return reply.callNotFound();
      // Only the path of this address is used.
      const view = samplePage(draft, { logo: organization.logo, url: `http://preview${PATH}`, now });
      const shown: Scheme = scheme === 'dark' ? 'dark' : 'light';
      return sendDocument(request, keepPrivate(reply), 200, renderSample(view, shown));
    },
  );

  app.get<{ Params: { file: string } }>(
    `${PATH}/:file`,
    { config: { operation: 'console_brand_preview_file' } },
    async (request, reply) => {
      const { tenant } = await access.admit(request, 'manager');
      const { file: name } = request.params;
      const sample = sampleFile(name);
      if (sample !== null) return sender.send(request, reply, { key: name, type: sample.type });
      const logo = name === 'logo.png' ? (await findOrganization(db.kysely, tenant.organizationId))?.logo : null;
      if (logo === null || logo === undefined) return reply.callNotFound();
      return sender.send(request, reply, { key: logo, type: 'image/png' });
    },
  );
}

async function readBrand(db: Db, tenant: Tenant): Promise<Brand> {
  return presentBrand(await requireOrganization(db, tenant), await readSettings(db, tenant));
}

export function createBrandHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof BRAND_OPERATIONS> {
  const preview = createPreview(deps);
  return {
    readBrand: (user) => readBrand(deps.db.kysely, user.tenant),
    changeBrand: (user, { body }) => saveBrand(deps, user.tenant, body),
    previewBrand: (user, { body }) => preview.describe(user, body),
    uploadLogo: (user, { body }) =>
      changeLogo(deps, user.tenant, { edited: body.version, bytes: Buffer.from(body.file, 'base64') }),
    removeLogo: (user, { body }) => changeLogo(deps, user.tenant, { edited: body.version, bytes: null }),
  };
}
