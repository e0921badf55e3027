import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { PARTS } from '../../texts/common.ts';

interface ActionDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  lead: string;
  /** The label of the button that acts. */
  label: string;
  onConfirm: () => void;
  /** The choice is not complete. */
  disabled: boolean;
  /** The dialog stays open meanwhile. */
  busy: boolean;
  /** A problem that belongs to no field. */
  problem: string | undefined;
  children: ReactNode;
}

/** Asks for a choice, then acts on one intro. */
export const ActionDialog = ({ open, onOpenChange, title, lead, problem, children, ...action }: ActionDialogProps) => (
  <Dialog
    open={open}
    onOpenChange={(next) => action.busy || onOpenChange(next)}
    title={title}
    lead={lead}
    actions={
      <>
        <Button kind="quiet" onClick={() => onOpenChange(false)}>
          {PARTS.cancel}
        </Button>
        <Button busy={action.busy} disabled={action.disabled} onClick={action.onConfirm}>
          {action.label}
        </Button>
      </>
    }
  >
    {children}
    {problem !== undefined && (
      <Notice tone="bad" live>
        {problem}
      </Notice>
    )}
  </Dialog>
);
