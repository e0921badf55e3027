import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BrandDraft, BrandPreview } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { readAccount, writeRecipientText } from '../../delivery/index.ts';
import { brandColors, findOrganization } from '../../organizations/index.ts';
import { createFileSender, renderSample, type Scheme, sendDocument } from '../../pages/index.ts';
import { type Seal, sealWith } from '../../platform/seal.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { createSampleFiles, type SampleFile, samplePage, sampleText } from './sample.ts';
import { normalize, presentShades } from './service.ts';

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
export function createPreview(deps: Pick<ConsoleDeps, 'db' | 'carriers' | 'serverKey' | 'clock' | 'publicUrl'>) {
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
