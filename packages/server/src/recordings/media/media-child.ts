import type { Choice, Chosen } from './engine/choose.ts';
import type { PictureSource } from './picture-file.ts';
import type { Shape } from './pictures.ts';
import type { RefusalCode } from './refusals.ts';
import type { Inspected, TranscodedTake } from './take.ts';
import type { Trim } from './trim.ts';

/** The only argument of the media process. It contains no personal data, because other users can list arguments. */
export type MediaJob =
  /** Tries whether the process can start at all. */
  | { readonly kind: 'start'; readonly into: string }
  | { readonly kind: 'choose'; readonly ffmpegPath: string | null; readonly into: string }
  | {
      readonly kind: 'take';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly trim: Trim | null;
    }
  | { readonly kind: 'preview'; readonly choice: Choice; readonly file: string; readonly into: string }
  | ({
      readonly kind: 'picture';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly shape: Shape;
    } & Pick<PictureSource, 'demuxer' | 'orient'>);

/** One line of JSON on standard output. The last line is an outcome. */
export type Report =
  | { readonly kind: 'progress'; readonly percent: number }
  | ({ readonly kind: 'inspected' } & Inspected)
  | Outcome;

export type Outcome =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'take'; readonly result: TranscodedTake }
  | { readonly kind: 'start' | 'preview' | 'picture' }
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  | { readonly kind: 'failed'; readonly message: string };
