import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { CONFLICT, PARTS } from '../texts.ts';
import { Button } from './button.tsx';
import { Notice } from './display.tsx';

interface SaveBarProps {
  /** How many fields have unsaved changes. With none, the bar is hidden. */
  changed: number;
  busy: boolean;
  /** A conflict has to be resolved first. */
  blocked?: boolean;
  onDiscard: () => void;
  /** Without it, the bar submits the form it is in. */
  onSave?: () => void;
  /** The error message. */
  children?: ReactNode;
}

/** Saves or discards the unsaved changes of a page. It stays in view, and every form has this one. */
export const SaveBar = (props: SaveBarProps) => (props.changed === 0 ? null : <Bar {...props} />);

function Bar({ changed, busy, blocked = false, onDiscard, onSave, children }: SaveBarProps) {
  const bar = useRef<HTMLElement>(null);
  // Once saved, the bar disappears together with the focused button.
  useLayoutEffect(() => {
    const element = bar.current;
    return () => {
      if (element?.contains(document.activeElement)) element.closest('main')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <section ref={bar} className="save-bar" aria-label={PARTS.save}>
      {children}
      <div className="line gap-10 save-row">
        <p role="status">{PARTS.unsaved(changed)}</p>
        <Button kind="quiet" disabled={busy} onClick={onDiscard}>
          {PARTS.discard}
        </Button>
        <Button
          type={onSave === undefined ? 'submit' : 'button'}
          busy={busy}
          aria-disabled={blocked || undefined}
          {...(onSave !== undefined && { onClick: onSave })}
        >
          {PARTS.save}
        </Button>
      </div>
    </section>
  );
}

interface ConflictPanelProps {
  title: string;
  /** The fields that both users changed, with both values as text. */
  fields: readonly { readonly label: string; readonly theirs: string; readonly mine: string }[];
  onUseTheirs: () => void;
  onKeepMine: () => void;
}

/** Shows what someone else saved next to what the user typed, and asks which to keep. */
export const ConflictPanel = ({ title, fields, onUseTheirs, onKeepMine }: ConflictPanelProps) => (
  <Notice tone="warn" title={title} live>
    <p>{CONFLICT.lead}</p>
    {fields.map(({ label, theirs, mine }) => (
      <div key={label} className="values">
        <p className="values-field">{label}</p>
        <dl>
          <div>
            <dt>{CONFLICT.theirs}</dt>
            <dd>{theirs}</dd>
          </div>
          <div>
            <dt>{CONFLICT.mine}</dt>
            <dd>{mine}</dd>
          </div>
        </dl>
      </div>
    ))}
    <div className="form-actions conflict-actions">
      <Button kind="quiet" small onClick={onUseTheirs}>
        {CONFLICT.useTheirs}
      </Button>
      <Button kind="quiet" small onClick={onKeepMine}>
        {CONFLICT.keepMine}
      </Button>
    </div>
  </Notice>
);
