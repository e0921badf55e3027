import type { SetupChecklist } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { call } from '../../api.ts';
import { IconButton, LinkButton } from '../../parts/button.tsx';
import { Card, Icon, Notice, RowText } from '../../parts/display.tsx';
import { load, useAction } from '../../queries.ts';
import { OVERVIEW } from './texts.ts';

const TEST: LinkProps = { to: '/intros/new', search: { to: 'me' } };

const ITEMS = [
  ['has_brand', { to: '/organization/brand' }],
  ['has_members', { to: '/members' }],
  ['has_carrier', { to: '/organization/texting' }],
  ['has_event', TEST],
  ['has_text', TEST],
] as const satisfies readonly (readonly [keyof SetupChecklist, LinkProps])[];

/** The key starts with the topic `intros`, so that every intro change refreshes it. */
export const useSetup = () => useQuery(load(['intros', 'setup'], 'GET /overview/setup'));

/** The steps left before recipients get texts. Dismissing them applies to the whole organization. */
export function Setup({ setup }: { setup: SetupChecklist }) {
  const dismiss = useAction({
    run: () => call('POST /overview/setup/dismiss'),
    topics: ['intros'],
    done: 'Checklist dismissed',
  });
  // A text that arrived proves that everything before it works.
  if (setup.has_text || setup.dismissed) return null;
  const [next, ...later] = ITEMS.filter(([item]) => !setup[item]);
  const close = (
    <IconButton
      icon="close"
      label="Dismiss checklist"
      aria-disabled={dismiss.isPending}
      onClick={() => dismiss.isPending || dismiss.mutate()}
    />
  );
  // One line says what is left.
  if (next !== undefined && later.length === 0) {
    const { title, lead } = OVERVIEW.setupItems[next[0]];
    return (
      <Notice
        action={
          <div className="line">
            <LinkButton {...next[1]} kind="quiet" small label={title} />
            {close}
          </div>
        }
      >
        Next step: {lead}
      </Notice>
    );
  }
  const done = ITEMS.length - later.length - 1;
  return (
    <Card title="Set up Foreword" lead={OVERVIEW.setupProgress(done, ITEMS.length)} actions={close}>
      <ol className="list">
        {ITEMS.map(([item, link]) => (
          <Item key={item} item={item} link={link} done={setup[item]} />
        ))}
      </ol>
    </Card>
  );
}

function Item({ item, link, done }: { item: (typeof ITEMS)[number][0]; link: LinkProps; done: boolean }) {
  const { title, lead } = OVERVIEW.setupItems[item];
  return (
    <li className="list-row">
      <Link {...link} className="row">
        <span className={done ? 'step-mark tone-good' : 'step-mark'}>
          {done && <Icon name="check" />}
          <span className="sr">{done ? 'Done' : 'To do'}</span>
        </span>
        {done ? <span className="soft">{title}</span> : <RowText main={title}>{lead}</RowText>}
      </Link>
    </li>
  );
}
