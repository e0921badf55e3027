import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { EmptyState, Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { LANE_NAMES } from '../../texts/common.ts';
import { NEW_TOUCHPOINT, TOUCHPOINTS } from '../../texts/touchpoints.ts';
import { CopyDialog, NewDialog } from './create-dialogs.tsx';
import { Group } from './group.tsx';
import { useTouchpoints } from './queries.ts';

interface LaneGroup {
  readonly name: string;
  readonly rows: TouchpointSummary[];
}

/** Groups by lane, in the organization's order. Without several lanes, there is one group. */
function groupByLane({ touchpoints, lanes }: TouchpointList): LaneGroup[] {
  if (lanes.length < 2) return [{ name: TOUCHPOINTS.all, rows: touchpoints }];
  const groups = lanes.map((lane) => ({
    name: LANE_NAMES[lane],
    rows: touchpoints.filter((row) => row.lane === lane),
  }));
  const common = { name: TOUCHPOINTS.everyLane, rows: touchpoints.filter(({ lane }) => lane === null) };
  return [...groups, common].filter(({ rows }) => rows.length > 0);
}

export function TouchpointsPage() {
  const query = useTouchpoints();
  const [isCreating, setCreating] = useState(false);
  const [copied, setCopied] = useState<TouchpointSummary | null>(null);
  const createButton = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      {TOUCHPOINTS.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={TOUCHPOINTS.title} lead={TOUCHPOINTS.lead} actions={createButton} />
      <Loaded query={query}>
        {(list) => (
          <>
            {list.touchpoints.length === 0 && (
              <EmptyState title={TOUCHPOINTS.empty} icon="moment">
                {TOUCHPOINTS.emptyLead}
              </EmptyState>
            )}
            {groupByLane(list).map(({ name, rows }, _, groups) => (
              <Group key={name} name={name} rows={rows} isOnly={groups.length === 1} onCopy={setCopied} />
            ))}
            <NewDialog open={isCreating} onOpenChange={setCreating} list={list} />
            <CopyDialog
              key={copied?.slug ?? ''}
              source={copied}
              name={copied === null ? '' : NEW_TOUCHPOINT.copyName(copied.name)}
              onClose={() => setCopied(null)}
              list={list}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
