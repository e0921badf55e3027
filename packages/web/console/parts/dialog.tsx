import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId, useRef } from 'react';
import { ApiFailure } from '../api.ts';
import { useUnsaved } from '../hooks.ts';
import { FAILURE, PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon, Notice } from './display.tsx';
import { FormProblem, useFocusProblem } from './form.tsx';
import { InDialog } from './overlay-container.ts';

interface DialogProps {
  open?: boolean;
  /** Without it, only the dialog's own buttons close it, not Escape or a click outside. */
  onClose?: () => void;
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** Buttons, with the main action last. */
  actions?: ReactNode;
  wide?: boolean;
  /** Closing would lose something: a click outside does nothing, and an expired session does not leave the page. */
  isDirty?: boolean;
}

const FIELDS = ':is(input, textarea, select, button, [tabindex="0"]):not(:disabled)';

/** The first field, or else the first action: never the button that closes the dialog. True: the default. */
const firstOf = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>(`.dialog-body ${FIELDS}`) ??
  popup?.querySelector<HTMLElement>(`.dialog-actions ${FIELDS}`) ??
  true;

/** A modal dialog; on a phone it slides up from the bottom. Traps the focus and returns it on close. */
export function Dialog({ onClose, title, lead, children, actions, ...rest }: DialogProps) {
  const { open = true, wide = false, isDirty = false } = rest;
  const popup = useRef<HTMLDivElement>(null);
  useUnsaved(open && isDirty);
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={isDirty || onClose === undefined}
      onOpenChange={(_open, { cancel }) => (onClose === undefined ? cancel() : onClose())}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={popup}
          className={wide ? 'dialog dialog-wide' : 'dialog'}
          initialFocus={() => firstOf(popup.current)}
        >
          <header className="line between gap-12 dialog-header">
            <Base.Title>{title}</Base.Title>
            {onClose !== undefined && (
              <Base.Close className="icon-button" aria-label={PARTS.close}>
                <Icon name="close" />
              </Base.Close>
            )}
          </header>
          {lead !== undefined && <Base.Description className="lead">{lead}</Base.Description>}
          {children !== undefined && (
            <div className="dialog-body">
              <InDialog value>{children}</InDialog>
            </div>
          )}
          {actions !== undefined && <footer className="form-actions dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface FormDialogProps extends Omit<DialogProps, 'actions'> {
  onClose: () => void;
  /** The label of the button that submits. */
  submit: string;
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
  const { kind = 'primary', disabled = false, fields = [], ...dialog } = rest;
  const id = useId();
  const form = useFocusProblem<HTMLFormElement>(action.error);
  const { isPending, error } = action;
  const send = (event: FormEvent) => {
    event.preventDefault();
    // React passes it on to a form around the dialog.
    event.stopPropagation();
    if (!isPending) onSubmit();
  };
  return (
    <Dialog
      {...dialog}
      onClose={() => isPending || onClose()}
      actions={
        <>
          <Button kind="quiet" onClick={onClose} label={PARTS.cancel} />
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

interface ConfirmProps {
  open?: boolean;
  onClose: () => void;
  title: string;
  /** Explains what will happen. */
  children?: ReactNode;
  /** The verb: "Revoke the key", never "Yes". */
  action: string;
  cancel?: string;
  danger?: boolean;
  run: Run;
}

/** Asks before an action that can't be undone. Stays open while the request runs and shows its error. */
export function Confirm({ onClose, title, children, action, run, ...rest }: ConfirmProps) {
  const { open = true, cancel = PARTS.cancel, danger = false } = rest;
  const { isPending: busy, error, mutate } = run;
  return (
    <AlertDialog.Root open={open} onOpenChange={() => busy || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{title}</AlertDialog.Title>
          {children !== undefined && (
            <AlertDialog.Description className="lead" render={<div />}>
              {children}
            </AlertDialog.Description>
          )}
          {error !== null && (
            <Notice tone="bad" live>
              {error instanceof ApiFailure ? error.message : FAILURE.unknown}
            </Notice>
          )}
          <footer className="form-actions dialog-actions">
            <AlertDialog.Close className="button quiet">{cancel}</AlertDialog.Close>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={() => mutate()} label={action} />
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Asks before the user leaves the page or closes the window with unsaved changes. */
export function UnsavedChanges({ when }: { when: boolean }) {
  useUnsaved(when);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
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
