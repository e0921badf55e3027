import { useBlocker } from '@tanstack/react-router';
import { type ComponentProps, type FormEvent, type ReactNode, type RefObject, useId } from 'react';
import { useUnsaved } from '../hooks.ts';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { FormProblem, useFocusProblem } from './form.tsx';
import { Dialog } from './overlays.tsx';

interface FormDialogProps extends Omit<ComponentProps<typeof Dialog>, 'actions'> {
  onClose: () => void;
  /** The label of the button that submits. */
  submit: string;
  cancel?: string;
  kind?: 'primary' | 'danger';
  disabled?: boolean;
  /** Sends the form. The dialog stays open meanwhile and shows its error. */
  action: Pick<Run, 'isPending' | 'error'>;
  /** The fields that show their own problems. */
  fields?: readonly string[];
  onSubmit: () => void;
}

/** A form with a button that cancels and one that submits. */
export function FormDialog({ onClose, submit, action, onSubmit, children, ...rest }: FormDialogProps) {
  const { cancel = PARTS.cancel, kind = 'primary', disabled = false, fields = [], ...dialog } = rest;
  const id = useId();
  const form = useFocusProblem<HTMLFormElement>(action.error);
  const { isPending, error } = action;
  const close = () => isPending || onClose();
  const send = (event: FormEvent) => {
    event.preventDefault();
    // React passes it on to a form around the dialog.
    event.stopPropagation();
    if (!isPending) onSubmit();
  };
  return (
    <Dialog
      {...dialog}
      onClose={close}
      actions={
        <>
          <Button kind="quiet" onClick={close} label={cancel} />
          <Button type="submit" form={id} kind={kind} busy={isPending} disabled={disabled} label={submit} />
        </>
      }
    >
      <form ref={form} id={id} className="stack" noValidate onSubmit={send}>
        {children}
        <FormProblem error={error} fields={fields} />
      </form>
    </Dialog>
  );
}

/** The action that a dialog's button starts, as `useAction` returns it. */
interface Run {
  readonly isPending: boolean;
  readonly error: unknown;
  readonly mutate: () => void;
}

interface ConfirmProps extends Pick<FormDialogProps, 'open' | 'onClose' | 'title' | 'cancel'> {
  /** Explains what will happen. */
  children?: ReactNode;
  /** The verb: "Revoke the key", never "Yes". */
  action: string;
  danger?: boolean;
  run: Run;
}

/** Asks before an action that can't be undone. Stays open while the request runs and shows its error. */
export const Confirm = ({ children, action, danger = false, run, ...dialog }: ConfirmProps) => (
  <FormDialog
    {...dialog}
    isAlert
    lead={children}
    submit={action}
    kind={danger ? 'danger' : 'primary'}
    action={run}
    onSubmit={() => run.mutate()}
  />
);

interface UnsavedProps {
  when: boolean;
  /** Set when the changes were sent: the page may then be left at once, before it is rendered again. */
  isSent?: RefObject<boolean>;
}

/** Asks before the user leaves the page or closes the window with unsaved changes. */
export function UnsavedChanges({ when, isSent }: UnsavedProps) {
  useUnsaved(when);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && isSent?.current !== true && current.pathname !== next.pathname,
    enableBeforeUnload: when,
    withResolver: true,
  });
  return (
    <Confirm
      open={status === 'blocked'}
      onClose={() => reset?.()}
      title={PARTS.unsavedTitle}
      action={PARTS.unsavedLeave}
      cancel={PARTS.unsavedStay}
      danger
      run={{ isPending: false, error: null, mutate: () => proceed?.() }}
    >
      {PARTS.unsavedBody}
    </Confirm>
  );
}
