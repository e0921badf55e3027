import type { TouchpointDetail } from '@foreword/contract';
import { DEFAULT_LANGUAGE, type Language, NAME_MAX_LENGTH } from '@foreword/contract/plain';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { fieldProblem } from '../../api.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { UnsavedChanges } from '../../parts/dialog.tsx';
import { Badge, PageHeader } from '../../parts/display.tsx';
import { TextField, useFocusProblem } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toasts.tsx';
import { CopyDialog } from './create-dialogs.tsx';
import { Conflict, changedFromOriginal, History, Reset } from './history.tsx';
import { ConfirmOff, useOnOff } from './on-off.tsx';
import { Preview, usePreview } from './preview.tsx';
import { useTouchpoint, useTouchpoints } from './queries.ts';
import { Results } from './results.tsx';
import { type TouchpointDraft, TouchpointSaveBar, useSaving, useTouchpointDraft } from './saving.tsx';
import {
  AdvancedSection,
  contentIn,
  LanguageSwitch,
  LengthCheck,
  PageSection,
  ScriptSection,
  SendingSection,
  shownLabel,
  TextSection,
} from './sections.tsx';
import { NEW_TOUCHPOINT, TOUCHPOINT, TOUCHPOINTS } from './texts.ts';

const BACK = { to: '/touchpoints', name: TOUCHPOINTS.title } as const;

export function TouchpointPage() {
  const { slug } = useParams({ from: '/touchpoints/$slug' });
  const query = useTouchpoint(slug);
  return (
    <>
      {query.data === undefined && <PageHeader title={TOUCHPOINT.loading} back={BACK} />}
      <Loaded query={query}>{(detail) => <Editor key={detail.slug} detail={detail} />}</Loaded>
    </>
  );
}

function Editor({ detail }: { detail: TouchpointDetail }) {
  const draft = useTouchpointDraft(detail);
  const { content } = draft;
  const [language, setLanguage] = useState<Language>(DEFAULT_LANGUAGE);
  const shown = contentIn(language, content);
  const preview = usePreview(shown);
  const saving = useSaving(detail, draft);
  const { error } = saving;
  const [people, setPeople] = useState('0');
  const form = useFocusProblem<HTMLDivElement>(error);
  const hasDraft = draft.changed.length > 0;
  // The preview of another language says nothing about the fields that are edited.
  const found = shown.language === language ? preview.data : undefined;
  const section = { draft, detail, language, preview: found, people, error };
  return (
    <div ref={form}>
      <Header detail={detail} draft={draft} error={error} onChanged={saving.apply} />
      <div className="editor">
        <div className="editor-first">
          <LanguageSwitch language={language} onChange={setLanguage} />
          <ScriptSection {...section} />
        </div>
        <aside className="narrow editor-aside">
          <Preview
            query={preview}
            people={people}
            onPeople={setPeople}
            language={shown.language}
            action={content.shows_action ? shownLabel(language, content) : null}
          />
        </aside>
        <div className="editor-rest">
          <LengthCheck script={shown.script} language={shown.language} />
          <PageSection {...section} />
          <TextSection {...section} />
          <SendingSection {...section} />
          <AdvancedSection {...section} />
        </div>
      </div>
      <Results detail={detail} />
      {hasDraft && <TouchpointSaveBar detail={detail} draft={draft} saving={saving} />}
      <Conflict key={saving.theirs?.version ?? 0} draft={draft} theirs={saving.theirs} onClose={saving.closeTheirs} />
      <UnsavedChanges when={hasDraft} />
    </div>
  );
}

const LastChange = ({ detail }: { detail: TouchpointDetail }) =>
  detail.last_change === null ? (
    TOUCHPOINT.unchanged
  ) : (
    <>
      {TOUCHPOINT.changedBy(detail.last_change.by?.name ?? TOUCHPOINT.byCommand)}, <Time at={detail.last_change.at} />
    </>
  );

interface NameProps {
  draft: TouchpointDraft;
  error: string | undefined;
  onDone: () => void;
}

/** The heading above shows the name while it is typed. Saved with everything else. */
function NameForm({ draft, error, onDone }: NameProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const close = (event: FormEvent) => {
    event.preventDefault();
    onDone();
  };
  return (
    <form className="rename" noValidate onSubmit={close}>
      <TextField
        label={TOUCHPOINT.name}
        error={error}
        ref={input}
        value={draft.content.name}
        onChange={(name) => draft.set('name', name)}
        maxLength={NAME_MAX_LENGTH}
      />
      <Button type="submit" kind="quiet">
        {TOUCHPOINT.renameDone}
      </Button>
    </form>
  );
}

interface HeaderProps {
  detail: TouchpointDetail;
  draft: TouchpointDraft;
  error: unknown;
  onChanged: (detail: TouchpointDetail) => void;
}

/** Actions on the whole touchpoint, which take effect immediately. */
function Header({ detail, draft, error, onChanged }: HeaderProps) {
  const [isRenaming, setRenaming] = useState(false);
  const hasDraft = draft.changed.length > 0;
  const nameProblem = fieldProblem(error, 'name');
  const [dialog, setDialog] = useState<'history' | 'reset' | 'copy' | null>(null);
  const list = useTouchpoints();
  const onOff = useOnOff(detail, onChanged);
  const isChanged = changedFromOriginal(detail).length > 0;
  const close = () => setDialog(null);
  const startReset = () => {
    if (hasDraft) showToast({ kind: 'bad', text: TOUCHPOINT.saveFirst });
    else if (isChanged) setDialog('reset');
    else showToast({ text: TOUCHPOINT.resetNothing });
  };
  return (
    <>
      <PageHeader
        title={draft.content.name || detail.name}
        back={BACK}
        badge={
          <>
            <IconButton
              icon="edit"
              label={TOUCHPOINT.rename}
              aria-expanded={isRenaming}
              onClick={() => setRenaming(!isRenaming)}
            />
            <Badge tone={detail.active ? 'good' : undefined}>{detail.active ? TOUCHPOINT.on : TOUCHPOINT.off}</Badge>
          </>
        }
        lead={<LastChange detail={detail} />}
        actions={
          <div className="editor-actions">
            <Button kind="quiet" busy={onOff.busy} onClick={() => onOff.ask(!detail.active)}>
              {detail.active ? TOUCHPOINT.turnOff : TOUCHPOINT.turnOn}
            </Button>
            <Menu
              label={TOUCHPOINT.menu}
              items={[
                { label: TOUCHPOINT.history, icon: 'clock', run: () => setDialog('history') },
                { label: TOUCHPOINTS.copy, icon: 'copy', run: () => setDialog('copy') },
                ...(detail.original === null
                  ? []
                  : [{ label: TOUCHPOINT.reset, icon: 'again', run: startReset } as const]),
              ]}
            />
          </div>
        }
      />
      {(isRenaming || nameProblem !== undefined) && (
        <NameForm draft={draft} error={nameProblem} onDone={() => setRenaming(false)} />
      )}
      <ConfirmOff touchpoint={detail} onOff={onOff} />
      <History
        open={dialog === 'history'}
        onOpenChange={(open) => open || close()}
        detail={detail}
        hasDraft={hasDraft}
        onChanged={onChanged}
      />
      <Reset open={dialog === 'reset'} onOpenChange={(open) => open || close()} detail={detail} onChanged={onChanged} />
      <CopyDialog
        key={detail.name}
        source={dialog === 'copy' ? detail : null}
        name={NEW_TOUCHPOINT.copyName(detail.name)}
        onClose={close}
        list={list.data ?? { touchpoints: [], lanes: [] }}
      />
    </>
  );
}
