import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { useUnsaved } from '../hooks.ts';
import { PARTS } from '../texts.ts';
import { Icon } from './display.tsx';
import { InDialog } from './overlay-container.ts';

export interface DialogProps {
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

export function DialogPopup({ onClose, title, lead, children, actions, ...rest }: DialogProps) {
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
