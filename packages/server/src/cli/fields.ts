import { ACTION_URL_PATTERN, ACTION_URL_PROBLEM } from '@foreword/contract';
import { Type } from 'typebox';

/** An option of a `set` command; an empty value removes the current one. */
const emptiable = (pattern: string, problem: string, description: string) =>
  Type.String({ pattern: `^(?:${pattern})?$`, 'x-problem': problem, description: `${description} "" removes it.` });

export const Text = (max: number, description: string) =>
  emptiable(
    `[^\\p{Cc}\\p{Cs}]{0,${max}}`,
    `must be text of at most ${max} characters, without control characters`,
    description,
  );

export const Accent = emptiable('#[0-9a-fA-F]{6}', 'must be a color such as #b4451f', 'Accent color of the pages.');

export const OfficePhone = emptiable(
  '\\+[1-9][0-9]{7,14}',
  'must be a number in E.164 form, such as +13125550100',
  'Number that recipients can call, in E.164 form.',
);

export const ActionUrl = emptiable(ACTION_URL_PATTERN, ACTION_URL_PROBLEM, 'Link of the button.');

export const emptyAsNull = (text: string): string | null => (text === '' ? null : text);
