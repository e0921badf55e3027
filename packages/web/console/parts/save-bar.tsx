import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiFailure, otherProblem } from '../api.ts';
import { type Topic, useAction } from '../queries.ts';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { UnsavedChanges } from './dialog.tsx';
import { DefinitionList, Notice } from './display.tsx';
import { type FieldInfo, FormProblem, isSame, requireAll, showValue, tidy, useFocusProblem } from './form.tsx';
import { showToast } from './overlays.tsx';

export interface Edits<F> {
  readonly changes: Partial<F>;
  /** The saved value of each changed field when the user last saw it. */
  readonly was: Partial<F>;
}

const keysOf = <F,>(some: Partial<F>): (keyof F)[] => Object.keys(some) as (keyof F)[];
const pick = <F,>(from: Partial<F>, keys: readonly (keyof F)[]): Partial<F> =>
  Object.fromEntries(keys.map((key) => [key, from[key]])) as Partial<F>;

/** Unsaved edits on top of the saved values. Fields the user did not change always follow the saved values. */
function useDraft<F extends object>(saved: F) {
  const [edits, setEdits] = useState<Edits<F>>({ changes: {}, was: {} });
  const changed = keysOf(edits.changes).filter((key) => !isSame(edits.changes[key], saved[key]));
  const changes = pick(edits.changes, changed);
  const isUnmoved = (key: keyof F): boolean => isSame(edits.was[key], saved[key]);
  const was = { ...pick(edits.was, changed), ...pick(saved, changed.filter(isUnmoved)) };
  return {
    changes,
    was,
    /** The saved values with the changes applied. */
    fields: { ...saved, ...changes },
    isDirty: changed.length > 0,
    /** Fields changed here that someone else has since saved with another value. */
    conflicts: changed.filter((key) => !isUnmoved(key)),
    change: (fields: Partial<F>) =>
      setEdits((before) => {
        const after = { ...before.changes, ...fields };
        const remaining = keysOf(after).filter((key) => !isSame(after[key], saved[key]));
        return { changes: pick(after, remaining), was: pick({ ...saved, ...before.was }, remaining) };
      }),
    /** Resolves the conflicts: the next save overwrites the other user's values of the fields changed here. */
    keepMine: () => setEdits((before) => ({ ...before, was: pick(saved, keysOf(before.changes)) })),
    /** Drops the changes to these fields, or all changes. */
    discard: (fields: readonly (keyof F)[] = keysOf(saved)) =>
      setEdits((before) => {
        const remaining = keysOf(before.changes).filter((key) => !fields.includes(key));
        return { changes: pick(before.changes, remaining), was: pick(before.was, remaining) };
      }),
    /** Drops the changes that were sent and are saved now; fields edited since then stay changed. */
    markSaved: (sent: Partial<F>, now: F) =>
      setEdits((before) => {
        const remaining = keysOf(before.changes).filter(
          (key) => !(key in sent && isSame(before.changes[key], sent[key])),
        );
        const seen = { ...before.was, ...pick(now, keysOf(sent)) };
        return { changes: pick(before.changes, remaining), was: pick(seen, remaining) };
      }),
  };
}

interface EditingOptions<Values extends object, Saved extends Values> {
  readonly list: readonly FieldInfo<Values>[];
  /** The latest version that is known. Fields that are not changed follow it. */
  readonly saved: Saved;
  readonly read: () => Promise<Saved>;
  readonly send: (edits: Edits<Values>, base: Saved) => Promise<Saved>;
  /** Asks before a save, if there is a reason. Resolves with false to stop it. */
  readonly confirm?: (edits: Edits<Values>) => Promise<boolean>;
  /** Where the cache has the object. */
  readonly queryKey: QueryKey;
  readonly done: string;
  readonly topics: readonly Topic[];
}

const isConflict = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'edit_conflict';

/**
 * Edits an object that others may edit as well. Only what was changed is saved: what someone else saved meanwhile in other fields
 * stays, and for the same fields the bar asks which value to keep.
 */
export function useEditing<Values extends object, Saved extends Values>(options: EditingOptions<Values, Saved>) {
  const { list, saved, read, send, confirm, queryKey, done, topics } = options;
  const queries = useQueryClient();
  const adopt = (latest: Saved) => void queries.setQueryData(queryKey, latest);
  const names = list.map(({ name }) => name);
  const valuesOf = (from: Saved) => Object.fromEntries(names.map((name) => [name, from[name]])) as unknown as Values;
  const draft = useDraft(valuesOf(saved));
  const action = useAction({
    async run({ changes, was }: Edits<Values>): Promise<Saved | null> {
      requireAll(list, draft.fields);
      const edits = { changes: tidy(list, changes), was };
      if (confirm !== undefined && !(await confirm(edits))) return null;
      try {
        return await send(edits, saved);
      } catch (error) {
        if (!isConflict(error)) throw error;
        const now = await read();
        const changed = names.filter((name) => edits.changes[name] !== undefined);
        // An earlier try was saved, and its response was lost.
        if (changed.every((name) => isSame(edits.changes[name], now[name]))) return now;
        adopt(now);
        if (changed.some((name) => !isSame(was[name], now[name]))) throw error;
        return send(edits, now);
      }
    },
    topics,
    showsFailure: true,
    onDone(now, { changes }) {
      if (now === null) return;
      showToast({ text: done });
      adopt(now);
      draft.markSaved(changes, valuesOf(now));
    },
  });
  const { isPending, error, mutate, reset } = action;
  // While saving, an update may contain the values just sent: not a conflict.
  const conflicts = isPending ? [] : draft.conflicts;
  const discard = (fields?: readonly (keyof Values)[]) => {
    draft.discard(fields);
    reset();
  };
  return {
    ...{ list, saved, conflicts, isPending, discard, error, adopt },
    ...{ fields: draft.fields, changes: draft.changes, change: draft.change, isDirty: draft.isDirty },
    form: useFocusProblem<HTMLFormElement>(error),
    keepMine() {
      draft.keepMine();
      reset();
    },
    submit(event: FormEvent) {
      event.preventDefault();
      if (!isPending && draft.isDirty && conflicts.length === 0) mutate(draft);
    },
  };
}

type Editing<Values extends object> = Omit<ReturnType<typeof useEditing<Values, Values>>, 'adopt'>;

interface EditBarProps<Values extends object> {
  edit: Editing<Values>;
  /** "Someone else changed this member" */
  conflict: string;
  /** Other fields on the page that show their own problems. */
  shown?: readonly string[];
}

/** Once saved, the bar disappears together with the focused button. */
const keepFocus = (bar: HTMLElement | null) => () => {
  if (bar?.contains(document.activeElement)) bar.closest('main')?.focus({ preventScroll: true });
};

/** Discards the unsaved changes of a form, or submits it, and shows what prevents saving. It stays in view. */
export function EditBar<Values extends object>({ edit, conflict, shown = [] }: EditBarProps<Values>) {
  const { list, conflicts, error, changes, isPending, discard } = edit;
  const fields = [...list.map(({ name }) => name), ...shown];
  const isShown = error !== null && otherProblem(error, fields) === undefined;
  const changed = Object.keys(changes).length;
  const hasConflict = conflicts.length > 0;
  return (
    <>
      {changed > 0 && (
        <section ref={keepFocus} className="grid gap-12 save-bar" aria-label={PARTS.save}>
          {hasConflict ? <ConflictPanel edit={edit} title={conflict} /> : <FormProblem error={error} fields={fields} />}
          {isShown && <Notice tone="bad">{PARTS.notSaved}</Notice>}
          <div className="line gap-12">
            <p className="row-text" role="status">
              {PARTS.unsaved(changed)}
            </p>
            <Button kind="quiet" disabled={isPending} onClick={() => discard()} label={PARTS.discard} />
            <Button type="submit" busy={isPending} aria-disabled={hasConflict || undefined} label={PARTS.save} />
          </div>
        </section>
      )}
      <UnsavedChanges when={edit.isDirty} />
    </>
  );
}

/** Shows what someone else saved next to what the user typed, and asks which to keep. */
const ConflictPanel = <Values extends object>({ edit, title }: { edit: Editing<Values>; title: string }) => (
  <Notice tone="warn" title={title} live>
    <p>You both changed the same fields. Your changes are not saved yet.</p>
    {edit.list
      .filter(({ name }) => edit.conflicts.includes(name))
      .map((field) => (
        <FieldValues
          key={field.name}
          field={field}
          values={[
            ['Theirs', edit.saved[field.name]],
            ['Yours', edit.fields[field.name]],
          ]}
        />
      ))}
    <div className="form-actions">
      <Button kind="quiet" small onClick={() => edit.discard(edit.conflicts)} label="Use theirs" />
      <Button kind="quiet" small onClick={edit.keepMine} label="Keep mine" />
    </div>
  </Notice>
);

interface FieldValuesProps<Values> {
  field: FieldInfo<Values>;
  values: readonly (readonly [label: string, value: unknown])[];
}

/** One field with its values side by side. */
export const FieldValues = <Values,>({ field, values }: FieldValuesProps<Values>) => (
  <div className="grid gap-8">
    <p className="medium">{field.label}</p>
    <DefinitionList items={values.map(([label, value]) => [label, showValue(field, value)])} />
  </div>
);
