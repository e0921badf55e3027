import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { LANE_NAMES } from '../../texts/names.ts';
import { NEW_TOUCHPOINT, TOUCHPOINTS } from '../../texts/touchpoints.ts';
import { Group } from './group.tsx';
import { CopyDialog, NewDialog } from './new.tsx';
import { useTouchpoints } from './queries.ts';

interface LaneGroup {
  readonly name: string;
  readonly rows: TouchpointSummary[];
}

/** By lane, in the organization's order; one group without a name where there are no lanes. */
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
  const [making, setMaking] = useState(false);
  const [copied, setCopied] = useState<TouchpointSummary | null>(null);
  const create = (
    <Button icon="plus" onClick={() => setMaking(true)}>
      {TOUCHPOINTS.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={TOUCHPOINTS.title} lead={TOUCHPOINTS.lead} actions={create} />
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
            <NewDialog open={making} onOpenChange={setMaking} list={list} />
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
