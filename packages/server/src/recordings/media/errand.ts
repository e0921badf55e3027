import type { Choice, Chosen } from './engine/choose.ts';
import type { PictureSource } from './picture-file.ts';
import type { Shape } from './pictures.ts';
import type { RefusalCode } from './refusals.ts';
import type { WorkedTake } from './take.ts';

/** What the child is sent to do, as its one argument. Nothing about people is in it: arguments show in the list of processes. */
export type Errand =
  | { readonly kind: 'choose'; readonly ffmpegPath: string | null; readonly into: string }
  | { readonly kind: 'take'; readonly choice: Choice; readonly file: string; readonly into: string }
  | { readonly kind: 'preview'; readonly choice: Choice; readonly file: string; readonly into: string }
  | ({
      readonly kind: 'picture';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly shape: Shape;
    } & Pick<PictureSource, 'demuxer' | 'turn'>);

/** What it says, a line of JSON each. The last line is an outcome. */
export type Report = { readonly kind: 'progress'; readonly percent: number } | Outcome;

export type Outcome =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'take'; readonly worked: WorkedTake }
  | { readonly kind: 'preview' | 'picture' }
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  | { readonly kind: 'failed'; readonly message: string };
