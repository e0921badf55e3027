import { Type } from 'typebox';
import { Name, Nullable, Phone } from '../fields.ts';
import { define, response } from './operation.ts';

/** As base64; a little more than the 10 MB that a picture may have. */
const LOGO_BODY_BYTES = 14_000_000;
const MINUTES_OF_A_DAY = 1_440;

const Version = Type.Integer({
  minimum: 1,
  // What its column holds; a larger one was never read.
  maximum: 2 ** 31 - 1,
  'x-problem': 'must be the version that was read',
  description: 'The version that was edited. Another one stands there by now: nothing is changed.',
});

const minutes = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: MINUTES_OF_A_DAY,
    'x-problem': 'must be minutes after midnight, 1440 at most',
    description,
  });

const BrandFields = {
  name: Name('What recipients know the organization by.', 'Acme Roofing'),
  accent: Nullable(
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', 'x-problem': 'must be a colour such as #b4451f' }),
    'The colour of its pages. Null: the usual one.',
  ),
  office_phone: Nullable(Phone, 'Whom recipients call when nobody else is named.'),
  license: Nullable(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\p{Cc}\\p{Cs}]*$',
      'x-problem': 'must be text without control characters or broken Unicode',
    }),
    'As the law wants it shown.',
  ),
  timezone: Type.String({
    format: 'iana-timezone',
    'x-problem': 'must be a time zone that IANA lists, such as America/Chicago',
  }),
  texts_from: minutes('The first minute of the day at which a recipient may be texted.'),
  texts_until: minutes('The minute of the day from which no recipient is texted.'),
};

/** What recipients see of the organization, and when. */
export interface Brand {
  readonly version: number;
  readonly name: string;
  readonly accent: string | null;
  readonly office_phone: string | null;
  readonly license: string | null;
  readonly timezone: string;
  /** Minutes after midnight, where the recipient is. */
  readonly texts_from: number;
  readonly texts_until: number;
  readonly logo_url: string | null;
}

export type BrandDraft = Omit<Brand, 'version' | 'logo_url'>;

/** A colour as it comes out, so that it can be read on every ground. */
export interface BrandShades {
  /** The ground of a button. */
  readonly accent: string;
  /** Text on it. */
  readonly on_accent: string;
  /** The colour as text. */
  readonly accent_text: string;
  /** Whether the button is another than the chosen colour, because that would not stand out. */
  readonly button_differs: boolean;
  /** The same for the colour as text. */
  readonly text_differs: boolean;
  /** Of the button's text on the button. */
  readonly contrast: number;
}

export interface BrandPreview {
  /** The recipient's page with the draft, for a frame; the path works for some minutes. `&scheme=dark` shows it in the dark. */
  readonly page_path: string;
  readonly light: BrandShades;
  readonly dark: BrandShades;
  /** The first text message that a recipient gets. */
  readonly text: {
    readonly body: string;
    readonly segments: number;
    readonly encoding: 'GSM-7' | 'UCS-2';
    readonly units: number;
  };
}

export const BRAND_OPERATIONS = define({
  'GET /brand': { role: 'manager', response: response<Brand>() },
  'POST /brand': {
    role: 'manager',
    body: Type.Object({ version: Version, ...BrandFields }, { additionalProperties: false }),
    response: response<Brand>(),
  },
  'POST /brand/preview': {
    role: 'manager',
    body: Type.Object(BrandFields, { additionalProperties: false }),
    response: response<BrandPreview>(),
  },
  'POST /brand/logo': {
    role: 'manager',
    body: Type.Object(
      {
        version: Version,
        file: Type.String({
          minLength: 1,
          pattern: '^[A-Za-z0-9+/]+={0,2}$',
          'x-problem': 'must be the bytes of the picture as base64',
        }),
      },
      { additionalProperties: false },
    ),
    maxBytes: LOGO_BODY_BYTES,
    response: response<Brand>(),
  },
  'POST /brand/logo/remove': {
    role: 'manager',
    body: Type.Object({ version: Version }, { additionalProperties: false }),
    response: response<Brand>(),
  },
});
