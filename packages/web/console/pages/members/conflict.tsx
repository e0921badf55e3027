import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { FIELDS, MEMBER_CONFLICT, ROLE_NAMES } from '../../texts/members.ts';
import { LANE_NAMES } from '../../texts/names.ts';
import type { MemberFields } from './fields.ts';

type Field = keyof MemberFields;

function wordsOf(fields: MemberFields, field: Field): string {
  if (field === 'role') return ROLE_NAMES[fields.role];
  if (field === 'notify_by') return FIELDS.notify[fields.notify_by];
  if (field === 'lanes') {
    return fields.lanes.length === 0
      ? MEMBER_CONFLICT.allLanes
      : fields.lanes.map((lane) => LANE_NAMES[lane]).join(', ');
  }
  return fields[field] === '' ? MEMBER_CONFLICT.nothing : fields[field];
}

interface ConflictProps {
  clashes: readonly Field[];
  theirs: MemberFields;
  mine: MemberFields;
  insist: () => void;
  discard: (fields: readonly Field[]) => void;
}

/** What somebody else changed of the same, beside what is typed here; the reader decides with what to go on. */
export const Conflict = ({ clashes, theirs, mine, insist, discard }: ConflictProps) => (
  <Notice tone="warn" title={MEMBER_CONFLICT.title} live>
    <p>{MEMBER_CONFLICT.lead}</p>
    {clashes.map((field) => (
      <div key={field} className="values">
        <p className="values-field">{FIELDS[field]}</p>
        <dl>
          <div>
            <dt>{MEMBER_CONFLICT.theirs}</dt>
            <dd>{wordsOf(theirs, field)}</dd>
          </div>
          <div>
            <dt>{MEMBER_CONFLICT.mine}</dt>
            <dd>{wordsOf(mine, field)}</dd>
          </div>
        </dl>
      </div>
    ))}
    <div className="form-actions member-conflict">
      <Button kind="quiet" small onClick={() => discard(clashes)}>
        {MEMBER_CONFLICT.takeTheirs}
      </Button>
      <Button kind="quiet" small onClick={insist}>
        {MEMBER_CONFLICT.keepMine}
      </Button>
    </div>
  </Notice>
);
