import { ACTION_URL_PATTERN } from '@foreword/contract';
import { Type } from 'typebox';

/** Options of `set` commands that may be left empty: that takes away what stood there. */

const emptiable = (pattern: string, problem: string, description: string) =>
  Type.String({ pattern: `^(?:${pattern})?$`, 'x-problem': problem, description: `${description} "": none.` });

export const Words = (most: number, description: string) =>
  emptiable(
    `[^\\p{Cc}\\p{Cs}]{0,${most}}`,
    `must be text of at most ${most} characters, without control characters`,
    description,
  );

export const Accent = emptiable('#[0-9a-fA-F]{6}', 'must be a colour such as #b4451f', 'The colour of its pages.');

export const OfficePhone = emptiable(
  '\\+[1-9][0-9]{7,14}',
  'must be a number in E.164 form, such as +13125550100',
  'Whom recipients call when nobody else is named, in E.164 form.',
);

export const ActionUrl = emptiable(
  ACTION_URL_PATTERN,
  'must be an address that begins with https:// or http://',
  'Where the button leads.',
);

export const emptyAsNull = (text: string): string | null => (text === '' ? null : text);
