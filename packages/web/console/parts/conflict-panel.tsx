import { CONFLICT } from '../texts/common.ts';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

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
