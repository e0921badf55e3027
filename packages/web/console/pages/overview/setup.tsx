import type { SetupChecklist } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { IconButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useAction } from '../../queries.ts';
import { OVERVIEW } from '../../texts/overview.ts';

const ITEMS = [
  ['has_brand', '/brand'],
  ['has_members', '/members'],
  ['has_carrier', '/outbox'],
  ['has_event', '/developers'],
  ['has_text', '/home/new'],
] as const;

type Item = (typeof ITEMS)[number][0];

/** The key starts with the topic `intros`, so that every intro change refreshes it. */
export const useSetup = () =>
  useQuery({
    queryKey: ['intros', 'setup'],
    queryFn: ({ signal }) => call('GET /overview/setup', undefined, signal),
  });

/** Until a text has arrived, which proves that everything before it works. */
export const isSetUp = ({ has_text, dismissed }: SetupChecklist): boolean => has_text || dismissed;

function Row({ item, to, done }: { item: Item; to: (typeof ITEMS)[number][1]; done: boolean }) {
  const { title, lead } = OVERVIEW.setupItems[item];
  return (
    <li>
      <Link to={to} className={done ? 'setup-item setup-item-done' : 'setup-item'}>
        <span className="setup-mark">
          {done && <Icon name="check" />}
          <span className="sr">{done ? OVERVIEW.setupDone : OVERVIEW.setupOpen}</span>
        </span>
        <span className="setup-text">
          <span className="setup-title">{title}</span>
          {!done && <span className="setup-lead">{lead}</span>}
        </span>
      </Link>
    </li>
  );
}

/** The steps left before recipients get texts. Dismissing the list applies to the whole organization. */
export function SetupCard({ setup }: { setup: SetupChecklist }) {
  const dismiss = useAction({
    run: () => call('POST /overview/setup/dismiss'),
    topics: ['intros'],
    done: OVERVIEW.setupDismissed,
  });
  const done = ITEMS.filter(([item]) => setup[item]).length;
  return (
    <Card
      title={OVERVIEW.setupTitle}
      lead={OVERVIEW.setupProgress(done, ITEMS.length)}
      actions={
        <IconButton
          icon="close"
          label={OVERVIEW.setupDismiss}
          aria-disabled={dismiss.isPending}
          onClick={() => dismiss.isPending || dismiss.mutate()}
        />
      }
    >
      <ol className="setup">
        {ITEMS.map(([item, to]) => (
          <Row key={item} item={item} to={to} done={setup[item]} />
        ))}
      </ol>
    </Card>
  );
}
