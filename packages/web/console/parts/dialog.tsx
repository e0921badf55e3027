import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useId, useRef } from 'react';
import { useUnsaved } from '../hooks.ts';
import { PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './display.tsx';
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
  /** A question that one of the buttons answers. */
  isAlert?: boolean;
}

/**
 * The first field, or else the first action: not a button between texts, because the dialog would scroll to it, nor the one that
 * closes the dialog. True: the default.
 */
const firstOf = (popup: HTMLElement | null): HTMLElement | true =>
  popup?.querySelector<HTMLElement>('.dialog-body :is(input, textarea, select, .combobox):not(:disabled)') ??
  popup?.querySelector<HTMLElement>('.dialog-actions button:not(:disabled)') ??
  true;

/** A modal dialog; on a phone it slides up from the bottom. Traps the focus and returns it on close. */
export function Dialog({ onClose, title, lead, children, actions, ...rest }: DialogProps) {
  const { open = true, wide = false, isDirty = false, isAlert = false } = rest;
  const Root = isAlert ? AlertDialog.Root : Base.Root;
  const popup = useRef<HTMLDivElement>(null);
  useUnsaved(open && isDirty);
  return (
    <Root
      open={open}
      {...(!isAlert && { disablePointerDismissal: isDirty || onClose === undefined })}
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
            {onClose !== undefined && !isAlert && (
              <Base.Close className="icon-button" aria-label={PARTS.close}>
                <Icon name="close" />
              </Base.Close>
            )}
          </header>
          {lead !== undefined && (
            <Base.Description className="lead" render={<div />}>
              {lead}
            </Base.Description>
          )}
          {children !== undefined && (
            <div className="dialog-body">
              <InDialog value>{children}</InDialog>
            </div>
          )}
          {actions !== undefined && <footer className="form-actions dialog-actions">{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Root>
  );
}

interface FormDialogProps extends Omit<DialogProps, 'actions'> {
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
