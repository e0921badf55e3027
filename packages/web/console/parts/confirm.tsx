import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiFailure } from '../failure.ts';
import { FAILURE, PARTS } from '../texts/common.ts';
import { useUnsaved } from '../unsaved.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

interface ConfirmProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  /** Explains what will happen. */
  children?: ReactNode;
  /** The verb: "Revoke the key", never "Yes". */
  action: string;
  cancel?: string;
  danger?: boolean;
  busy?: boolean;
  /** The error of the last attempt. */
  error?: unknown;
  onConfirm: () => void;
}

/** Asks before an action that can't be undone. Stays open while the request runs and shows its error. */
export function Confirm({ open, onOpenChange, title, children, action, ...rest }: ConfirmProps) {
  const { cancel = PARTS.cancel, danger = false, busy = false, error = null, onConfirm } = rest;
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => busy || onOpenChange(next)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title className="dialog-title">{title}</AlertDialog.Title>
          {children !== undefined && (
            <AlertDialog.Description className="dialog-lead" render={<div />}>
              {children}
            </AlertDialog.Description>
          )}
          {error !== null && (
            <Notice tone="bad" live>
              {error instanceof ApiFailure ? error.message : FAILURE.unknown}
            </Notice>
          )}
          <footer className="dialog-actions">
            <AlertDialog.Close className="button quiet">{cancel}</AlertDialog.Close>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {action}
            </Button>
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
      onOpenChange={(open) => open || reset?.()}
      title={PARTS.unsavedTitle}
      action={PARTS.unsavedLeave}
      cancel={PARTS.unsavedStay}
      danger
      onConfirm={() => proceed?.()}
    >
      {PARTS.unsavedBody}
    </Confirm>
  );
}
