import { oneOf } from '../fields.ts';
import { RETENTION_RULES, type RetentionRule } from '../plain/retention.ts';
import { Type } from '../schema.ts';
import { define, json, response } from './operation.ts';

/** How long the organization keeps one kind of data. */
export interface ConsoleRetention {
  readonly rule: RetentionRule;
  readonly days: number;
  /** A shorter period that was chosen recently takes effect at this time. Until then, `days_until_then` applies. */
  readonly effective_at: string | null;
  readonly days_until_then: number | null;
}

export interface ConsoleRetentionList {
  readonly rules: readonly ConsoleRetention[];
}

/** The result of a change that was not saved. */
export interface ConsoleRetentionPreview {
  /** How many objects would be removed first. */
  readonly count: number;
  /** More than are counted. */
  readonly has_more: boolean;
  /** Null: at once. */
  readonly effective_at: string | null;
}

const Change = {
  rule: oneOf(RETENTION_RULES, 'The kind of data.'),
  days: Type.Integer({ 'x-problem': 'must be a whole number of days', description: 'How long it is kept.' }),
};

export const RETENTION_OPERATIONS = define({
  readRetention: { route: 'GET /retention', role: 'owner', success: response<ConsoleRetentionList>() },
  changeRetention: {
    route: 'POST /retention',
    role: 'owner',
    body: json(Change),
    success: response<ConsoleRetentionList>(),
  },
  previewRetention: {
    route: 'POST /retention/preview',
    role: 'owner',
    body: json(Change),
    success: response<ConsoleRetentionPreview>(),
  },
});
