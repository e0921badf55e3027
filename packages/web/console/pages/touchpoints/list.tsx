/** Folder: touchpoints: list, editor, history and results. */

import type { TouchpointList, TouchpointSummary } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { call } from '../../api.ts';
import { useNewDialog } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Icon, PageHeader } from '../../parts/display.tsx';
import { Switch } from '../../parts/form.tsx';
import { Menu } from '../../parts/overlays.tsx';
import { Loaded } from '../../parts/states.tsx';
import { useAction } from '../../queries.ts';
import { LANE_NAMES, NAV, PARTS } from '../../texts.ts';
import { CreateDialog } from './create-dialog.tsx';
import { useOnOff } from './on-off.tsx';
import { SCRIPT_HASH, TOUCHPOINTS_QUERY } from './queries.ts';
import { NEW_TOUCHPOINT, TOUCHPOINTS } from './texts.ts';

interface GroupProps {
  name: string;
  rows: readonly TouchpointSummary[];
  /** The only group needs no heading. */
  isOnly: boolean;
  onCopy: (row: TouchpointSummary) => void;
}

/** The touchpoints of one lane, which can be reordered. */
function Group({ name, rows, isOnly, onCopy }: GroupProps) {
  const heading = useId();
  const move = useAction({
    run({ row, place }: { row: TouchpointSummary; place: number }) {
      const next = rows.filter(({ slug }) => slug !== row.slug)[place];
      return call('POST /touchpoint-order', { body: { slug: row.slug, before: next?.slug ?? null } });
    },
    done: (_, { row, place }) => TOUCHPOINTS.moved(row.name, place + 1, rows.length),
    topics: ['touchpoints'],
  });
  return (
    <section className="grid gap-12" {...(isOnly ? { 'aria-label': name } : { 'aria-labelledby': heading })}>
      {!isOnly && <h2 id={heading}>{name}</h2>}
      <ul className="list" aria-label={`Touchpoints: ${name}`}>
        {rows.map((row, place) => (
          <li key={row.slug} data-id={row.slug} className="list-row line gap-12 moment">
            <Row
              row={row}
              place={place}
              of={rows.length}
              onMove={(to) => move.mutate({ row, place: to })}
              onCopy={onCopy}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RowProps {
  row: TouchpointSummary;
  place: number;
  of: number;
  onMove: (place: number) => void;
  onCopy: (row: TouchpointSummary) => void;
}

function Row({ row, place, of, onMove, onCopy }: RowProps) {
  const onOff = useOnOff(row);
  const open = TOUCHPOINTS.open(row.open_intros);
  return (
    <>
      <div className="row-text">
        <Link to="/touchpoints/$slug" params={{ slug: row.slug }} className="moment-name">
          {row.name}
        </Link>
        <span className="hint">
          {!onOff.shown && `${PARTS.off} · `}
          {TOUCHPOINTS.summary(row.context, row.words, row.seconds)}
          {open !== null && ` · ${open}`}
        </span>
        {(row.delivery === 'integration' || row.is_cut_off) && (
          <span className="wrap gap-8">
            {row.is_cut_off && <Badge tone="warn">Script will be cut off</Badge>}
            {row.delivery === 'integration' && <Badge>Sent by your own system</Badge>}
          </span>
        )}
      </div>
      <Link
        to="/touchpoints/$slug"
        params={{ slug: row.slug }}
        hash={SCRIPT_HASH}
        className="icon-button"
        aria-label={`Edit the script of ${row.name}`}
        title="Edit script"
      >
        <Icon name="edit" />
      </Link>
      <Switch label={<span className="sr">{row.name} is on</span>} checked={onOff.shown} onChange={onOff.ask} />
      <Menu
        label={`More for ${row.name}`}
        items={[
          { label: NEW_TOUCHPOINT.createCopy, icon: 'copy', run: () => onCopy(row) },
          { label: 'Move to top', disabled: place === 0, run: () => onMove(0) },
          { label: 'Move up', icon: 'up', disabled: place === 0, run: () => onMove(place - 1) },
          { label: 'Move down', icon: 'down', disabled: place === of - 1, run: () => onMove(place + 1) },
        ]}
      />
      {onOff.dialog}
    </>
  );
}

interface LaneGroup {
  readonly name: string;
  readonly rows: TouchpointSummary[];
}

/** Groups by lane, in the organization's order. Without several lanes, there is one group. */
function groupByLane({ touchpoints, lanes }: TouchpointList): LaneGroup[] {
  if (lanes.length < 2) return [{ name: 'All', rows: touchpoints }];
  const groups = lanes.map((lane) => ({
    name: LANE_NAMES[lane],
    rows: touchpoints.filter((row) => row.lane === lane),
  }));
  const common = { name: TOUCHPOINTS.everyLane, rows: touchpoints.filter(({ lane }) => lane === null) };
  return [...groups, common].filter(({ rows }) => rows.length > 0);
}

export function TouchpointsPage() {
  const [isCreating, setCreating] = useNewDialog();
  const [copied, setCopied] = useState<TouchpointSummary | null>(null);
  const createButton = <Button icon="plus" onClick={() => setCreating(true)} label={NEW_TOUCHPOINT.title} />;
  return (
    <>
      <PageHeader title={NAV.touchpoints} lead={TOUCHPOINTS.lead} actions={createButton} />
      <Loaded query={TOUCHPOINTS_QUERY}>
        {(list) => (
          <>
            {groupByLane(list).map(({ name, rows }, _, groups) => (
              <Group key={name} name={name} rows={rows} isOnly={groups.length === 1} onCopy={setCopied} />
            ))}
            <CreateDialog open={isCreating} onClose={() => setCreating(false)} lanes={list.lanes} />
            {copied !== null && <CreateDialog source={copied} onClose={() => setCopied(null)} lanes={list.lanes} />}
          </>
        )}
      </Loaded>
    </>
  );
}
