/** Shows the recipient page with sample content in the console, as drafts of the brand and of touchpoints change it. */

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { type BrandDraft, DAY_MS, type Language } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Row } from '../db/tenancy.ts';
import { findOrganization, pickBrand } from '../organizations/index.ts';
import { createFileSender, type PageView, renderSample, type Scheme, sendDocument } from '../pages/index.ts';
import { localDate, parseZonedTime } from '../platform/instants.ts';
import { sealForAWhile, sealWith } from '../platform/seal.ts';
import { BUILT_IN_CLIP, BUILT_IN_POSTER } from '../recordings/index.ts';
import type { TemplateValues } from '../touchpoints/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ConsoleUser } from './sessions/service.ts';

/** Fictional names, so that the preview is clearly a sample. */
export const SAMPLE_PEOPLE = {
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jane', last_name: 'Turner' },
} as const;
const MEMBER_TITLE = 'project advisor';
const CLIP = { width: 720, height: 1280, durationMs: 4_000 } as const;
const CLIP_NAME = 'sample';

/** In two days at 2:30 PM, in the organization's time zone. */
export function sampleAppointment(timezone: string, now: Date): Date {
  const day = localDate(new Date(now.getTime() + 2 * DAY_MS), timezone);
  return parseZonedTime(`${day}T14:30:00`, timezone) ?? now;
}

/** The page of a touchpoint. */
export interface SamplePage {
  readonly language: Language;
  /** Null: the page's own title. */
  readonly title: string | null;
  /** The label of the button. Null: there is none. */
  readonly label: string | null;
  readonly people: Pick<TemplateValues, 'recipient' | 'member'>;
  readonly appointment: { readonly startsAtMs: number; readonly timezone: string } | null;
}

interface Draft {
  /** Null: as it is stored. */
  readonly brand: BrandDraft | null;
  /** Null: a typical one. */
  readonly page: SamplePage | null;
}

const typicalPage = ({ language, timezone }: Pick<BrandDraft, 'language' | 'timezone'>, now: Date): SamplePage => ({
  language,
  title: null,
  label: 'See what to expect',
  people: SAMPLE_PEOPLE,
  appointment: { startsAtMs: sampleAppointment(timezone, now).getTime(), timezone },
});

function viewOf({ brand, page }: Draft, organization: Row<'organizations'>, url: string, now: Date): PageView {
  const { language, title, label, people, appointment } = page ?? typicalPage(brand ?? organization, now);
  const { recipient, member } = people;
  return {
    introId: 'sample',
    language,
    url,
    title,
    madeAtMs: now.getTime(),
    recipient,
    member: { ...member, title: MEMBER_TITLE, phone: null, photo: null },
    reply: null,
    optOut: null,
    textsFrom: null,
    replacedFor: null,
    organization: { ...pickBrand(brand ?? organization), logo: organization.logo },
    appointment,
    action: label === null ? null : { label, url: 'https://example.com/' },
    video: { name: CLIP_NAME, folder: '', ...CLIP, captionsLanguage: null, hasPreview: false },
  };
}

/** The sample page's video or poster. */
function readSample(name: string) {
  if (name === `${CLIP_NAME}.mp4`) return { type: 'video/mp4', bytes: readFileSync(BUILT_IN_CLIP) };
  return name === 'poster.jpg' ? { type: 'image/jpeg', bytes: readFileSync(BUILT_IN_POSTER) } : null;
}

const PATH = '/console/page-preview';
const SEAL_PURPOSE = 'preview of a page';
/** Every change creates a new preview, so an old one is not needed for long. */
const DRAFT_LIFE_MS = 600_000;

/** A preview link works only for the user who created it. */
const bindingOf = ({ tenant, memberId }: ConsoleUser): string => `${tenant.organizationId} ${memberId}`;

const draftsOf = ({ serverKey, clock }: Pick<ConsoleDeps, 'serverKey' | 'clock'>) =>
  sealForAWhile<Draft>(sealWith(serverKey, SEAL_PURPOSE), clock, DRAFT_LIFE_MS);

/** Paths of the pages of drafts. Nothing is stored: the path contains the draft, encrypted. */
export function createPreviewPaths(deps: Pick<ConsoleDeps, 'serverKey' | 'clock'>) {
  const drafts = draftsOf(deps);
  return (user: ConsoleUser, draft: Draft): string => `${PATH}?draft=${drafts.close(draft, bindingOf(user))}`;
}

/** Serves the recipient page of a draft and its files, for a frame in the console. */
export function registerPagePreview(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const { db, objects, clock } = deps;
  const drafts = draftsOf(deps);
  const sender = createFileSender({
    async open(name) {
      const file = readSample(name);
      if (file === null) return objects.open(name);
      const { bytes } = file;
      const stream = async ({ start, end } = { start: 0, end: bytes.length - 1 }) =>
        Readable.from([bytes.subarray(start, end + 1)]);
      return { size: bytes.length, etag: hash('sha256', bytes).slice(0, 16), stream };
    },
  });

  app.get<{ Querystring: { draft?: string; scheme?: string } }>(
    PATH,
    { config: { operation: 'console_page_preview' } },
    async (request, reply) => {
      const user = await access.admit(request, 'manager');
      const { draft: token, scheme } = request.query;
      const draft = typeof token === 'string' ? drafts.open(token, bindingOf(user)) : null;
      const organization = draft === null ? null : await findOrganization(db.kysely, user.tenant.organizationId);
      if (draft === null || organization === null) return reply.callNotFound();
      // Only the path of this address is used.
      const view = viewOf(draft, organization, `http://preview${PATH}`, clock());
      const shown: Scheme = scheme === 'dark' ? 'dark' : 'light';
      return sendDocument(request, keepPrivate(reply), 200, renderSample(view, shown));
    },
  );

  app.get<{ Params: { file: string } }>(
    `${PATH}/:file`,
    { config: { operation: 'console_page_preview_file' } },
    async (request, reply) => {
      const { tenant } = await access.admit(request, 'manager');
      const { file: name } = request.params;
      const sample = readSample(name);
      if (sample !== null) return sender.send(request, reply, { key: name, type: sample.type });
      const logo = name === 'logo.png' ? (await findOrganization(db.kysely, tenant.organizationId))?.logo : null;
      if (logo === null || logo === undefined) return reply.callNotFound();
      return sender.send(request, reply, { key: logo, type: 'image/png' });
    },
  );
}
