/** Edits the brand. */

import {
  type BRAND_OPERATIONS,
  type Brand,
  type BrandDraft,
  type BrandPreview,
  PICTURE_MAX_BYTES,
  REPLY_TYPES,
} from '@foreword/contract';
import type { Db, Row, Tenant } from '../db/tenancy.ts';
import {
  changeSettings,
  type DeliverySettings,
  type RecipientText,
  readAccount,
  readSettings,
  writeRecipientText,
} from '../delivery/index.ts';
import { changeBrand, findOrganization, pickBrand } from '../organizations/index.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { changedFields } from '../privacy/audit/index.ts';
import { deletePicture, storePicture } from '../recordings/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import { createPreviewPaths, SAMPLE_PEOPLE, sampleAppointment } from './page-preview.ts';
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

/** As long as a page's real token. */
const TOKEN = 'Kq3vT8mXb2Za';

interface Setting {
  readonly publicUrl: string;
  readonly now: Date;
}

const sampleText = ({ name, timezone, language }: BrandDraft, { publicUrl, now }: Setting): RecipientText => ({
  template: null,
  language,
  values: {
    ...SAMPLE_PEOPLE,
    organization: { name },
    appointment: { startsAt: sampleAppointment(timezone, now), timezone },
    trade: null,
    lane: null,
  },
  link: `${publicUrl}/i/${TOKEN}`,
  isFirst: true,
});

/** Previews of a draft. */
function createPreview(deps: Pick<ConsoleDeps, 'db' | 'carriers' | 'serverKey' | 'clock' | 'publicUrl'>) {
  const pathOf = createPreviewPaths(deps);
  return {
    async describe(user: ConsoleUser, given: BrandDraft): Promise<BrandPreview> {
      const draft = normalize(given);
      const now = deps.clock();
      const account = await readAccount(deps.db.kysely, user.tenant);
      const { body } = writeRecipientText(sampleText(draft, { publicUrl: deps.publicUrl, now }));
      return {
        page_path: pathOf(user, { brand: draft, page: null }),
        text: { body },
        // An organization's own account has prices of its own.
        segment_price: account === null ? deps.carriers.segmentPrice : null,
      };
    },
  };
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
