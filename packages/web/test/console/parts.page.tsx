import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { call } from '../../console/api.ts';
import { Live } from '../../console/live.ts';
import { Avatar } from '../../console/parts/avatar.tsx';
import { Button, IconButton, LinkButton } from '../../console/parts/button.tsx';
import { Card, DefinitionList } from '../../console/parts/card.tsx';
import { Confirm } from '../../console/parts/confirm.tsx';
import { CodeBlock, CopyField } from '../../console/parts/copy.tsx';
import { Dialog } from '../../console/parts/dialog.tsx';
import { Field } from '../../console/parts/field.tsx';
import { Input } from '../../console/parts/input.tsx';
import { List } from '../../console/parts/list.tsx';
import { EmptyState, ErrorState, Loaded, SkeletonRows } from '../../console/parts/loaded.tsx';
import { Menu } from '../../console/parts/menu.tsx';
import { Badge, Notice } from '../../console/parts/notice.tsx';
import { PageHeader } from '../../console/parts/page-header.tsx';
import { MessageBubble, PhonePreview } from '../../console/parts/phone-preview.tsx';
import { SearchField } from '../../console/parts/search-field.tsx';
import { Table } from '../../console/parts/table.tsx';
import { Tabs } from '../../console/parts/tabs.tsx';
import { Time } from '../../console/parts/time.tsx';
import { showToast, Toasts } from '../../console/parts/toasts.tsx';
import { Tooltip } from '../../console/parts/tooltip.tsx';
import { createQueries, useAction } from '../../console/queries.ts';
import { readSession, SessionProvider } from '../../console/session.ts';
import { Controls, PEOPLE, REFUSED } from './parts-controls.tsx';
import '../../kit/tokens.css';
import '../../kit/base.css';
import '../../console/console.css';
import '../../console/layout/layout.css';
import '../../console/parts/index.css';

const MANY = Array.from({ length: 5_000 }, (_, at) => ({ id: `row_${at}`, name: `Row ${at + 1}` }));
function Actions() {
  const [open, setOpen] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const [last, setLast] = useState('nothing');
  const refused = useAction({ run: () => Promise.reject(REFUSED) });
  return (
    <Card
      title="Actions"
      actions={
        <Menu
          label="More for Ana"
          items={[
            { label: 'Edit', icon: 'edit', run: () => setLast('edit') },
            { label: 'Remove', icon: 'trash', danger: true, run: () => setLast('remove') },
          ]}
        />
      }
    >
      <p>Last: {last}</p>
      <div className="form-actions">
        <Button onClick={() => setOpen(true)}>Open the dialog</Button>
        <Button kind="danger" onClick={() => setConfirming(true)}>
          Revoke
        </Button>
        <Button kind="quiet" busy>
          Saving
        </Button>
        <Button kind="plain" disabled>
          Disabled
        </Button>
        <Button
          kind="quiet"
          small
          onClick={() => showToast({ text: 'Saved', action: { label: 'Undo', run: () => setLast('undo') } })}
        >
          Say it
        </Button>
        <Button kind="quiet" small onClick={() => refused.mutate()}>
          Fail
        </Button>
        <LinkButton to={'/elsewhere' as never} kind="quiet" icon="plus">
          A link
        </LinkButton>
        <Tooltip text="Shown beside it">
          <IconButton icon="eye" label="Look" />
        </Tooltip>
      </div>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="A dialog"
        lead="With a field."
        actions={<Button onClick={() => setOpen(false)}>Done</Button>}
      >
        <Field label="Name in the dialog">
          <Input value="" onChange={() => {}} />
        </Field>
      </Dialog>
      <Confirm
        open={isConfirming}
        onOpenChange={setConfirming}
        title="Revoke this key?"
        action="Revoke the key"
        danger
        onConfirm={() => setConfirming(false)}
      >
        Requests with this key get 401 from now on.
      </Confirm>
    </Card>
  );
}

function Shown() {
  const [tab, setTab] = useState<'one' | 'two'>('one');
  const [query, setQuery] = useState('');
  return (
    <>
      <Card title="Shown">
        <Notice title="A note">Something to know.</Notice>
        <Notice tone="warn">Something to check.</Notice>
        <Notice tone="bad">Something that failed.</Notice>
        <Notice tone="good">Something that worked.</Notice>
        <p>
          <Badge>Requested</Badge> <Badge tone="good">Sent</Badge> <Badge tone="warn">Late</Badge>{' '}
          <Badge tone="bad">Failed</Badge> <Badge tone="info">Ready</Badge>
        </p>
        <DefinitionList
          items={[
            ['Member', 'Ana Ng'],
            ['When', <Time key="t" at="2026-03-12T19:30:00.000Z" style="dateTime" zone="America/Chicago" />],
            ['Left out', null],
          ]}
        />
        <CopyField label="Key" text="fw_test_4eC39HqLyjWDarjtT1zdp7dcPq3vX8" />
        <CodeBlock
          label="curl"
          code={'curl -H "Authorization: Bearer $KEY" https://hi.acme.example/v1/touchpoints | jq .data'}
        />
        <Tabs
          label="Views"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'one', label: 'One', panel: <p>The first.</p> },
            { value: 'two', label: 'Two', panel: <p>The second.</p> },
          ]}
        />
        <PhonePreview label="The text as it arrives">
          <MessageBubble>Hi Dana, Ana from Acme Exteriors has a message for you.</MessageBubble>
        </PhonePreview>
      </Card>
      <Card title="Rows">
        <div className="filters">
          <SearchField label="Search members" value={query} onSearch={setQuery} />
        </div>
        <p data-query={query}>Searched: {query}</p>
        <Table
          caption="Members"
          rows={PEOPLE}
          keyOf={({ id }) => id}
          columns={[
            { name: 'Name', main: true, render: ({ name }) => name },
            { name: 'Id', render: ({ id }) => <code>{id}</code> },
            { name: 'Intros', number: true, render: () => 12 },
            { name: 'Tools', tools: true, render: ({ name }) => <IconButton icon="edit" label={`Edit ${name}`} /> },
          ]}
        />
        <SkeletonRows rows={2} />
        <EmptyState title="No members yet" icon="people" action={<Button>Add a member</Button>}>
          Members record videos for recipients.
        </EmptyState>
        <ErrorState error={REFUSED} retry={() => {}} />
        <Avatar name="Ana Ng" photo={null} size="large" />
        <List
          label="Many rows"
          rows={MANY}
          keyOf={({ id }) => id}
          render={({ name }) => (
            <span className="row">
              <span className="row-text">
                <span className="row-main">{name}</span>
                <span className="row-more">More of it</span>
              </span>
            </span>
          )}
        />
      </Card>
    </>
  );
}

/** Refetches on live updates. */
function Read() {
  const query = useQuery({ queryKey: ['members', 'me'], queryFn: ({ signal }) => call('GET /session', {}, signal) });
  return (
    <Card title="Read">
      <Loaded query={query}>{({ member }) => <p>Read: {member.first_name}</p>}</Loaded>
    </Card>
  );
}

const PartsPage = () => (
  <main id="main" className="page">
    <PageHeader
      title="Parts"
      lead="All of them."
      badge={<Badge tone="good">Active</Badge>}
      actions={<Button>Save</Button>}
    />
    <Read />
    <Actions />
    <Controls />
    <Shown />
    <Toasts />
  </main>
);

const root = createRootRoute();
const router = createRouter({
  routeTree: root.addChildren([
    createRoute({ getParentRoute: () => root, path: '/', component: PartsPage }),
    createRoute({ getParentRoute: () => root, path: '/elsewhere', component: () => <h1>Elsewhere</h1> }),
  ]),
  basepath: '/console',
});
const queries = createQueries();
const container = document.getElementById('app');
if (container === null) throw new Error('The page has no #app element.');
createRoot(container).render(
  <CSPProvider nonce={document.getElementById('style')?.nonce ?? ''}>
    <SessionProvider value={readSession()}>
      <QueryClientProvider client={queries}>
        {/* Only the type of the console's own router is registered. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </SessionProvider>
  </CSPProvider>,
);
new Live(queries, { missed: false }).start();
