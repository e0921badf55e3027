import type { TouchpointContent, TouchpointDetail, TouchpointField } from '@foreword/contract';
import { TOUCHPOINT_FIELDS } from '@foreword/contract/plain';
import { useState } from 'react';
import { type Draft, useDraft } from '../../use-draft.ts';

export interface TouchpointDraft extends Pick<Draft<TouchpointContent>, 'changes' | 'discard'> {
  /** The version that was edited. */
  readonly base: TouchpointDetail;
  readonly changed: readonly TouchpointField[];
  /** The base version with the changes applied. */
  readonly content: TouchpointContent;
  /** Whether `other` has the same values in all fields. */
  isSavedIn(other: TouchpointContent): boolean;
  set<F extends TouchpointField>(field: F, value: TouchpointContent[F]): void;
  /** Moves the draft to another version and keeps the changes that still differ. */
  rebase(on: TouchpointDetail): void;
}

/** A draft on top of a fixed version: a newer version replaces it only while nothing is changed. */
export function useTouchpointDraft(saved: TouchpointDetail): TouchpointDraft {
  const [base, setBase] = useState(saved);
  const { changes, fields: content, isDirty, change, discard, markSaved } = useDraft<TouchpointContent>(base);
  if (saved.version > base.version && !isDirty) setBase(saved);
  return {
    base,
    changes,
    changed: TOUCHPOINT_FIELDS.filter((field) => changes[field] !== undefined),
    content,
    isSavedIn: (other) => TOUCHPOINT_FIELDS.every((field) => content[field] === other[field]),
    set: (field, value) => change({ [field]: value }),
    rebase(on) {
      setBase(on);
      markSaved(on, on);
    },
    discard,
  };
}
