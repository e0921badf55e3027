import type { TouchpointContent, TouchpointDetail } from '@foreword/contract';
import { DEFAULT_LANGUAGE, isCutOff, LANGUAGES, type Language } from '@foreword/contract/plain';
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Badge, Card, Notice, PageHeader } from '../../parts/display.tsx';
import { Fields, Segmented } from '../../parts/form.tsx';
import { Menu } from '../../parts/overlays.tsx';
import { EditBar, useEditing } from '../../parts/save-bar.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { LANGUAGE_NAMES, NAV, PARTS } from '../../texts.ts';
import { CreateDialog } from './create-dialog.tsx';
import { infoOf, TABS, touchpointFields, useControls } from './fields.tsx';
import { changedFromOriginal, History, Reset } from './history.tsx';
import { useOnOff } from './on-off.tsx';
import { contentIn, LengthCheck, Preview, usePreview } from './preview.tsx';
import { touchpointQuery } from './queries.ts';
import { Results } from './results.tsx';
import { HISTORY, NEW_TOUCHPOINT, TOUCHPOINT } from './texts.ts';

const BACK = { to: '/touchpoints', name: NAV.touchpoints } as const;

export function TouchpointPage() {
  const { slug } = useParams({ from: '/touchpoints/$slug' });
  return (
    <LoadedPage query={touchpointQuery(slug)} title="Touchpoint" back={BACK}>
      {(detail) => <Editor key={detail.slug} detail={detail} />}
    </LoadedPage>
  );
}

const SPANISH = ['script_es', 'page_title_es', 'text_message_es', 'action_label_es'] as const;

/** The longest time that the script takes at the usual pace, in the language. */
async function readSeconds(script: string, language: Language): Promise<number> {
  const body = { script, language, page_title: null, text_message: null };
  const { renderings } = await call('POST /touchpoint-preview', { body });
  return Math.max(0, ...renderings.map(({ seconds }) => seconds));
}

/** Asks before a script is saved that would be cut off. */
function useCutOffQuestion() {
  const [question, setQuestion] = useState<{ seconds: number; answer: (isSaved: boolean) => void } | null>(null);
  const answer = (isSaved: boolean) => {
    question?.answer(isSaved);
    setQuestion(null);
  };
  return {
    async confirm({ changes: { script, script_es: spanish } }: { changes: Partial<TouchpointContent> }) {
      const times = await Promise.all([
        script === undefined ? 0 : readSeconds(script, 'en'),
        spanish === undefined || spanish === null ? 0 : readSeconds(spanish, 'es'),
      ]);
      const seconds = Math.max(...times);
      return !isCutOff(seconds) || new Promise<boolean>((resolve) => setQuestion({ seconds, answer: resolve }));
    },
    dialog: (
      <Confirm
        open={question !== null}
        onClose={() => answer(false)}
        title="This script will be cut off"
        action="Save anyway"
        run={{ isPending: false, error: null, mutate: () => answer(true) }}
      >
        {TOUCHPOINT.cutOffLead(question?.seconds ?? 0)}
      </Confirm>
    ),
  };
}

function useTouchpointEditing(detail: TouchpointDetail, confirm: ReturnType<typeof useCutOffQuestion>['confirm']) {
  const { slug } = detail;
  return useEditing<TouchpointContent, TouchpointDetail>({
    list: touchpointFields(detail.lanes),
    ...{
      saved: detail,
      done: 'Saved. Your changes are live.',
      topics: ['touchpoints'],
      confirm,
      queryKey: touchpointQuery(slug).queryKey,
    },
    read: () => call('GET /touchpoints/{slug}', { params: { slug } }),
    send: ({ changes }, { version }) =>
      call('POST /touchpoints/{slug}', { params: { slug }, body: { version, ...changes } }),
  });
}

/** The tab in the address, and the language in it. A problem opens both for its field. */
function useTab(error: unknown, lanes: TouchpointDetail['lanes']) {
  const [language, setLanguage] = useState<Language>(DEFAULT_LANGUAGE);
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const tab = TABS.find((one) => one === hash) ?? 'script';
  const wrong = touchpointFields(lanes).filter(({ name }) => fieldProblem(error, name) !== undefined);
  const isShown = wrong.some((field) => field.tab === tab && (field.language ?? language) === language);
  const first = isShown ? undefined : wrong[0];
  const wanted = useRef(navigate);
  wanted.current = navigate;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each problem, so that other tabs can be opened.
  useEffect(() => {
    if (first?.language) setLanguage(first.language);
    if (first?.tab) void wanted.current({ to: '.', hash: first.tab, replace: true, resetScroll: false });
  }, [error]);
  return { tab, language, setLanguage };
}

function Editor({ detail }: { detail: TouchpointDetail }) {
  const question = useCutOffQuestion();
  const edit = useTouchpointEditing(detail, question.confirm);
  const { fields: content, error } = edit;
  const { tab, language, setLanguage } = useTab(error, detail.lanes);
  const [people, setPeople] = useState('0');
  const shown = contentIn(language, content);
  const query = usePreview(shown);
  // The preview of another language says nothing about the fields that are edited.
  const preview = query.data?.draft.language === language ? query.data : undefined;
  const controls = useControls({ detail, content, preview });
  const hasSpanish = language !== DEFAULT_LANGUAGE || SPANISH.some((field) => content[field] !== null);
  const list = edit.list.filter((field) => {
    const { tab: own, language: only = language } = infoOf(detail.lanes, field.name);
    return own === tab && only === language && (field.name !== 'lane' || detail.lanes.length > 0);
  });
  const { form } = edit;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field may be in a tab that just opened.
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [tab, language]);
  return (
    <form ref={form} className="stack" noValidate onSubmit={edit.submit}>
      <Header detail={detail} edit={edit} onSpanish={() => setLanguage('es')} hasSpanish={hasSpanish} />
      <nav className="tab-list" aria-label="Parts of the touchpoint">
        {TABS.map((name) => (
          <Link
            key={name}
            to="."
            hash={name}
            replace
            resetScroll={false}
            className="tab"
            activeOptions={{ includeHash: true }}
            aria-current={name === tab ? 'page' : undefined}
          >
            {TOUCHPOINT.tabNames[name]}
          </Link>
        ))}
      </nav>
      {tab === 'results' ? (
        <Results detail={detail} />
      ) : (
        <div className="grid gap-20 editor">
          <div className="stack">
            {hasSpanish && tab !== 'delivery' && (
              <div className="wrap middle gap-12">
                <Segmented
                  label="Language"
                  value={language}
                  onChange={setLanguage}
                  options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
                />
                <p className="hint">{TOUCHPOINT.languageHint}</p>
              </div>
            )}
            <Card title={TOUCHPOINT.tabTitles[tab]} {...(tab === 'text' && { lead: TOUCHPOINT.textLead })}>
              {tab === 'text' && content.delivery === 'integration' && (
                <Notice>Your own system sends this touchpoint, so no text is sent.</Notice>
              )}
              <Fields
                key={`${tab} ${language}`}
                list={list}
                values={content}
                error={error}
                onChange={edit.change}
                controls={controls}
              />
              {tab === 'delivery' && <Slug slug={detail.slug} />}
            </Card>
            {tab === 'script' && <LengthCheck script={shown.script} language={shown.script_language} />}
          </div>
          <aside className="narrow">
            <Preview query={query} people={people} onPeople={setPeople} content={shown} />
          </aside>
        </div>
      )}
      <EditBar edit={edit} conflict="Someone else changed this touchpoint" />
      {question.dialog}
    </form>
  );
}

const Slug = ({ slug }: { slug: string }) => (
  <p className="hint">
    {TOUCHPOINT.slug}: <code>{slug}</code>. {TOUCHPOINT.slugWhy}
  </p>
);

const lastChange = ({ last_change: last }: TouchpointDetail): ReactNode =>
  last === null ? (
    'Your industry’s original, unchanged'
  ) : (
    <>
      {TOUCHPOINT.changedBy(last.by?.name ?? 'an administrator command')}, <Time at={last.at} />
    </>
  );

interface HeaderProps {
  detail: TouchpointDetail;
  edit: ReturnType<typeof useTouchpointEditing>;
  hasSpanish: boolean;
  onSpanish: () => void;
}

/** Actions on the whole touchpoint, which take effect immediately. */
function Header({ detail, edit, hasSpanish, onSpanish }: HeaderProps) {
  const [isRenaming, setRenaming] = useState(false);
  const [dialog, setDialog] = useState<'history' | 'reset' | 'copy' | null>(null);
  const onOff = useOnOff(detail);
  const isChanged = changedFromOriginal(detail).length > 0;
  const hasDraft = edit.isDirty;
  const close = () => setDialog(null);
  const nameField = [infoOf(detail.lanes, 'name')];
  return (
    <>
      <PageHeader
        title={edit.fields.name || detail.name}
        back={BACK}
        badge={
          <>
            <IconButton
              icon="edit"
              label="Rename"
              aria-expanded={isRenaming}
              onClick={() => setRenaming(!isRenaming)}
            />
            <Badge tone={detail.active ? 'good' : undefined}>{detail.active ? PARTS.on : PARTS.off}</Badge>
          </>
        }
        lead={lastChange(detail)}
        actions={
          <div className="line gap-12">
            <Button
              kind="quiet"
              busy={onOff.busy}
              onClick={() => onOff.ask(!detail.active)}
              label={detail.active ? 'Turn off' : 'Turn on'}
            />
            <Menu
              label="More for this touchpoint"
              items={[
                { label: HISTORY.title, icon: 'clock', run: () => setDialog('history') },
                { label: NEW_TOUCHPOINT.createCopy, icon: 'copy', run: () => setDialog('copy') },
                ...(hasSpanish ? [] : [{ label: 'Add texts in Spanish', icon: 'plus', run: onSpanish } as const]),
                ...(detail.original === null
                  ? []
                  : [
                      {
                        ...({ label: 'Reset to original', icon: 'again', disabled: hasDraft || !isChanged } as const),
                        ...(hasDraft && { hint: TOUCHPOINT.saveFirst }),
                        run: () => setDialog('reset'),
                      },
                    ]),
              ]}
            />
          </div>
        }
      />
      {(isRenaming || fieldProblem(edit.error, 'name') !== undefined) && (
        <div className="narrow rename">
          <Fields list={nameField} values={edit.fields} error={edit.error} onChange={edit.change} />
        </div>
      )}
      {onOff.dialog}
      {dialog === 'history' && <History detail={detail} hasDraft={hasDraft} onClose={close} />}
      {dialog === 'reset' && <Reset detail={detail} onClose={close} />}
      {dialog === 'copy' && <CreateDialog source={detail} onClose={close} lanes={detail.lanes} />}
    </>
  );
}
