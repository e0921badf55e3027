import { readFileSync } from 'node:fs';
import { type BrandDraft, DAY_MS } from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { RecipientText } from '../../delivery/index.ts';
import { pickBrand } from '../../organizations/index.ts';
import { type PageView, toOrganizationView } from '../../pages/index.ts';
import { localDate, parseZonedTime } from '../../platform/instants.ts';
import { BUILT_IN_CLIP, BUILT_IN_POSTER } from '../../recordings/index.ts';

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

export const sampleText = ({ name, timezone, language }: BrandDraft, { publicUrl, now }: Setting): RecipientText => ({
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

export const samplePage = (
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
  replacedFor: null,
  organization: toOrganizationView({ ...pickBrand(draft), logo }),
  appointment: { startsAtMs: appointmentOf(draft.timezone, now).getTime(), timezone: draft.timezone },
  action: { label: 'See what to expect', url: 'https://example.com/' },
  video: { name: CLIP_NAME, folder: '', ...CLIP, hasCaptions: false, hasPreview: false },
});

export interface SampleFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The sample page's video and poster, loaded on first use. */
export function createSampleFiles(): (name: string) => SampleFile | null {
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
