/** Edits the brand. */

import { type BRAND_OPERATIONS, type Brand, type BrandDraft, PICTURE_MAX_BYTES, REPLY_TYPES } from '@foreword/contract';
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
import { storePicture } from '../recordings/index.ts';
import type { ConsoleDeps } from './deps.ts';
import { replacePicture } from './files.ts';
import { type ConsoleHandlers, requireOrganization } from './operations.ts';
import { createPreviewPaths, SAMPLE_PEOPLE, sampleAppointment } from './page-preview.ts';
import { fileUrl } from './session.ts';

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
  { db, clock }: ConsoleDeps,
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

async function uploadLogo(deps: ConsoleDeps, { organizationId }: Tenant, bytes: Buffer): Promise<string> {
  if (bytes.length > PICTURE_MAX_BYTES) throw invalid('file', `is larger than ${PICTURE_MAX_BYTES / 1e6} MB`);
  const keyFor = (hash: string): string => `${organizationId}/logo-${hash}.png`;
  const stored = await storePicture(deps, { bytes, shape: 'logo', keyFor });
  if ('refused' in stored) throw invalid('file', stored.refused);
  return stored.key;
}

/** Without bytes, removes the logo. */
async function changeLogo(
  deps: ConsoleDeps,
  tenant: Tenant,
  { edited, bytes }: { readonly edited: number; readonly bytes: Buffer | null },
): Promise<Brand> {
  const { organizationId } = tenant;
  const before = await findOrganization(deps.db.kysely, organizationId);
  // Fails early, before the picture is decoded. The update below decides.
  if (before === null || before.version !== edited) throw conflict();
  const logo = bytes === null ? null : await uploadLogo(deps, tenant, bytes);
  const read = async (db: Db) => (await findOrganization(db, organizationId))?.logo ?? null;
  return replacePicture(deps, { tenant, added: logo, read, lock: read }, async (tx) => {
    const row = await changeBrand(tx, organizationId, { logo }, { edited });
    if (row === null) throw conflict();
    return presentBrand(row, await readSettings(tx, tenant));
  });
}

/** As long as a page's real token. */
const TOKEN = 'Kq3vT8mXb2Za';

const sampleText = ({ name, timezone, language }: BrandDraft, publicUrl: string, now: Date): RecipientText => ({
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

export function createBrandHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof BRAND_OPERATIONS> {
  const { carriers, clock, publicUrl } = deps;
  const { kysely: db } = deps.db;
  const pathOf = createPreviewPaths(deps);
  return {
    readBrand: async ({ tenant }) =>
      presentBrand(await requireOrganization(db, tenant), await readSettings(db, tenant)),
    changeBrand: (user, { body }) => saveBrand(deps, user.tenant, body),
    async previewBrand(user, { body }) {
      const draft = normalize(body);
      const account = await readAccount(db, user.tenant);
      const { body: text } = writeRecipientText(sampleText(draft, publicUrl, clock()));
      return {
        page_path: pathOf(user, { brand: draft, page: null }),
        text: { body: text },
        // An organization's own account has prices of its own.
        segment_price: account === null ? carriers.segmentPrice : null,
      };
    },
    uploadLogo: (user, { body }) =>
      changeLogo(deps, user.tenant, { edited: body.version, bytes: Buffer.from(body.file, 'base64') }),
    removeLogo: (user, { body }) => changeLogo(deps, user.tenant, { edited: body.version, bytes: null }),
  };
}
