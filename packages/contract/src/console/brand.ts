import { Language, Name, Nullable, Phone, SingleLine } from '../fields.ts';
import { type BRAND_FIELDS, type ORGANIZATION_BRAND_FIELDS, REPLY_LABEL_MAX_LENGTH } from '../plain/index.ts';
import type { SegmentPrice } from '../plain/text-segments.ts';
import { ClosedObject, type Static, type TSchema, Type } from '../schema.ts';
import { define, json, response } from './operation.ts';

/** A 10 MB picture in base64. */
const LOGO_BODY_BYTES = 14_000_000;
const MINUTES_PER_DAY = 1_440;
const WEBSITE_MAX = 200;
const WEBSITE_PROBLEM = `must be an address of at most ${WEBSITE_MAX} characters that starts with https://, such as https://acme.example`;
const Version = Type.Integer({
  minimum: 1,
  // The limit of the integer column.
  maximum: 2 ** 31 - 1,
  'x-problem': 'must be the version that was read',
  description: 'The version that was edited. The change is rejected when it is no longer current.',
});

const minutes = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: MINUTES_PER_DAY,
    'x-problem': 'must be minutes after midnight, at most 1440',
    description,
  });

const ReplyLabel = (description: string) =>
  Type.Union([Type.String({ maxLength: REPLY_LABEL_MAX_LENGTH, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }), Type.Null()], {
    'x-problem': `must be text of at most ${REPLY_LABEL_MAX_LENGTH} characters without control characters`,
    description: `${description} Null: the default label.`,
  });

export const BrandDraft = ClosedObject({
  name: Name('The name that recipients see.', 'Acme Roofing'),
  accent: Nullable(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', 'x-problem': 'must be a color such as #b4451f' }),
    'The color of the pages. Null: the default color.',
  ),
  office_phone: Nullable(Phone, 'The number recipients call when the member has none.'),
  license: Nullable(SingleLine({ minLength: 1, maxLength: 100 }), 'The license text that the law requires.'),
  website: Type.Union(
    [
      Type.String({
        maxLength: WEBSITE_MAX,
        // Without a username, which could pass for the host name.
        pattern: '^https://[^\\s/?#@\\\\]+([/?#][^\\s\\p{Cc}\\p{Cs}]*)?$',
        format: 'url',
      }),
      Type.Null(),
    ],
    { 'x-problem': WEBSITE_PROBLEM, description: 'The website that recipient pages link to.' },
  ),
  timezone: Type.String({
    format: 'iana-timezone',
    'x-problem': 'must be an IANA time zone, such as America/Chicago',
  }),
  language: Language,
  reply_confirm: ReplyLabel('The reply that confirms the appointment.'),
  reply_reschedule: ReplyLabel('The reply that asks for another time.'),
  reply_thanks: ReplyLabel('The reply to a video without an appointment.'),
  reply_question: ReplyLabel('The reply with a question.'),
  texts_from: minutes('Recipients get no texts before this minute of their day.'),
  texts_until: minutes('Recipients get no texts from this minute of their day on.'),
} satisfies Record<(typeof BRAND_FIELDS)[number], TSchema>);

export type BrandDraft = Readonly<Static<typeof BrandDraft>>;

/** The part of the brand that is stored with the organization. */
export type OrganizationBrand = Pick<BrandDraft, (typeof ORGANIZATION_BRAND_FIELDS)[number]>;

/** Branding of the recipient pages, and the hours in which recipients get texts. */
export interface Brand extends BrandDraft {
  readonly version: number;
  readonly logo_url: string | null;
}

export interface BrandPreview {
  /** The recipient page with the draft, for a frame. Works for ten minutes; `&scheme=dark` shows the dark version. */
  readonly page_path: string;
  /** The first text message to a recipient. */
  readonly text: { readonly body: string };
  /** Null: no price is set, or the organization has its own account with the carrier. */
  readonly segment_price: SegmentPrice | null;
}

export const BRAND_OPERATIONS = define({
  readBrand: { route: 'GET /brand', role: 'manager', success: response<Brand>() },
  changeBrand: {
    route: 'POST /brand',
    role: 'manager',
    body: json({ version: Version, ...BrandDraft.properties }),
    success: response<Brand>(),
  },
  previewBrand: {
    route: 'POST /brand/preview',
    role: 'manager',
    body: json(BrandDraft.properties),
    success: response<BrandPreview>(),
  },
  uploadLogo: {
    route: 'POST /brand/logo',
    role: 'manager',
    body: json({
      version: Version,
      file: Type.String({
        minLength: 1,
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        'x-problem': 'must be a picture in base64',
      }),
    }),
    maxBytes: LOGO_BODY_BYTES,
    success: response<Brand>(),
  },
  removeLogo: {
    route: 'POST /brand/logo/remove',
    role: 'manager',
    body: json({ version: Version }),
    success: response<Brand>(),
  },
});
