import type { TouchpointContent, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { useEffect, useState } from 'react';

export const FIELDS: readonly TouchpointField[] = [
  'name',
  'context',
  'lane',
  'script',
  'page_title',
  'action_label',
  'action_url',
  'text_message',
  'delivery',
  'days_to_record',
  'reminds',
  'active',
];

export type Changes = { [F in TouchpointField]?: TouchpointContent[F] };

const setIn = <F extends TouchpointField>(changes: Changes, field: F, value: TouchpointContent[F]): void => {
  changes[field] = value as Changes[F];
};

/** Those of the changes that still make a difference. */
function differing(changes: Changes, base: TouchpointContent): Changes {
  const kept: Changes = {};
  for (const field of FIELDS) {
    const value = changes[field];
    if (value !== undefined && value !== base[field]) setIn(kept, field, value as never);
  }
  return kept;
}

export interface Draft {
  /** What the changes were made from. */
  readonly base: TouchpointDetail;
  readonly changes: Changes;
  readonly changed: readonly TouchpointField[];
  /** How it would be. */
  readonly content: TouchpointContent;
  /** Whether all of it is there already. */
  standsIn(other: TouchpointContent): boolean;
  set<F extends TouchpointField>(field: F, value: TouchpointContent[F]): void;
  /** To stand on another version, with the changes that were made meanwhile or those that are given. */
  rebase(on: TouchpointDetail, changes?: Changes): void;
}

/** What is edited, apart from what is saved: a newer version that arrives disturbs nobody who has begun. */
export function useDraft(saved: TouchpointDetail): Draft {
  const [base, setBase] = useState(saved);
  const [changes, setChanges] = useState<Changes>({});
  const changed = FIELDS.filter((field) => changes[field] !== undefined);
  if (saved.version > base.version && changed.length === 0) setBase(saved);
  const content = { ...base, ...changes } as TouchpointContent;
  return {
    base,
    changes,
    changed,
    content,
    standsIn: (other) => FIELDS.every((field) => content[field] === other[field]),
    set(field, value) {
      setChanges((before) => {
        const after = { ...before };
        setIn(after, field, value);
        return differing(after, base);
      });
    },
    rebase(on, given) {
      setBase(on);
      setChanges((before) => differing(given ?? before, on));
    },
  };
}

/** The value as it was a moment ago, when it has rested since. */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  const same = JSON.stringify(rested) === JSON.stringify(value);
  useEffect(() => {
    if (same) return;
    const timer = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(timer);
  }, [same, value, ms]);
  return rested;
}
