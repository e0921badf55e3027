import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { PARTS } from '../texts/common.ts';
import { Icon } from './icon.tsx';
import { InDialog } from './overlay-container.ts';

interface DialogProps {
  open: boolean;
  /** Without it, only the dialog's own buttons close it, not Escape or a click outside. */
  onOpenChange?: (open: boolean) => void;
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** Buttons, with the main action last. */
  actions?: ReactNode;
  wide?: boolean;
}

/** A modal dialog; on a phone it slides up from the bottom. Traps the focus and returns it on close. */
export const Dialog = ({ open, onOpenChange, title, lead, children, actions, wide = false }: DialogProps) => (
  <Base.Root
    open={open}
    disablePointerDismissal={onOpenChange === undefined}
    onOpenChange={(next, { cancel }) => (onOpenChange === undefined ? cancel() : onOpenChange(next))}
  >
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className={wide ? 'dialog dialog-wide' : 'dialog'}>
        <header className="dialog-header">
          <Base.Title className="dialog-title">{title}</Base.Title>
          {onOpenChange !== undefined && (
            <Base.Close className="icon-button" aria-label={PARTS.close}>
              <Icon name="close" />
            </Base.Close>
          )}
        </header>
        {lead !== undefined && <Base.Description className="dialog-lead">{lead}</Base.Description>}
        {children !== undefined && (
          <div className="dialog-body">
            <InDialog value>{children}</InDialog>
          </div>
        )}
        {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);
