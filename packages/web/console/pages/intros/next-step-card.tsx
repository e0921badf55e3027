import type { ConsoleIntro } from '@foreword/contract';
import { useState } from 'react';
import { AnchorButton, Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Notice } from '../../parts/notice.tsx';
import { useFormatMoment } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { ACTIONS, INTRO, NEXT } from '../../texts/intros.ts';
import { type IntroActions, resendTexts, useIntroActions } from './actions.tsx';
import { findNextStep, type NextAction } from './next-step.ts';
import { Reassign } from './reassign.tsx';
import { ShareLink } from './share-link.tsx';

/** For a link that no carrier sends: copy or share it, then mark the intro as sent. */
const SendLink = ({ intro, url, actions }: { intro: ConsoleIntro; url: string; actions: IntroActions }) => (
  <>
    <ShareLink url={url} />
    {intro.actions.mark_sent.possible && (
      <Button kind="plain" busy={actions.markSent.isPending} onClick={() => actions.markSent.mutate()}>
        {ACTIONS.markSent}
      </Button>
    )}
  </>
);

function Resend({ intro }: { intro: ConsoleIntro }) {
  const [isOpen, setOpen] = useState(false);
  const { resend } = useIntroActions(intro, () => setOpen(false));
  const { label, title, action, lead } = resendTexts(intro);
  return (
    <>
      <Button icon="send" onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Confirm
        open={isOpen}
        onOpenChange={setOpen}
        title={title}
        action={action}
        busy={resend.isPending}
        error={resend.error}
        onConfirm={() => resend.mutate()}
      >
        {lead}
      </Confirm>
    </>
  );
}

function ReassignNow({ intro }: { intro: ConsoleIntro }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="people" onClick={() => setOpen(true)}>
        {ACTIONS.reassign}
      </Button>
      <Reassign intro={intro} open={isOpen} onOpenChange={setOpen} />
    </>
  );
}

function Action({ intro, action }: { intro: ConsoleIntro; action: NextAction }) {
  const actions = useIntroActions(intro, () => undefined);
  const { record_url: record, recipient_url: page } = intro;
  switch (action) {
    case 'record':
      return record === null ? null : (
        <AnchorButton href={record} icon="video">
          {ACTIONS.record}
        </AnchorButton>
      );
    case 'remind':
      return (
        <Button icon="clock" busy={actions.remind.isPending} onClick={() => actions.remind.mutate()}>
          {ACTIONS.remind}
        </Button>
      );
    case 'reassign':
      return <ReassignNow intro={intro} />;
    case 'retry_recording':
      return (
        <Button icon="again" busy={actions.retryRecording.isPending} onClick={() => actions.retryRecording.mutate()}>
          {INTRO.recording.retry}
        </Button>
      );
    case 'resend':
      return <Resend intro={intro} />;
    case 'send_link':
      return page === null ? null : <SendLink intro={intro} url={page} actions={actions} />;
  }
}

/** Says what the intro waits for, with the button for it if the user can do something. */
export function NextStepCard({ intro }: { intro: ConsoleIntro }) {
  const { member } = useSession();
  const format = useFormatMoment();
  const { title, lead, action, tone } = findNextStep(intro, { memberId: member.id, format });
  return (
    <section className="intro-next" aria-label={NEXT.title}>
      <Notice tone={tone} title={title}>
        {lead !== null && <p>{lead}</p>}
        {action !== null && (
          <div className="intro-next-actions">
            <Action intro={intro} action={action} />
          </div>
        )}
      </Notice>
    </section>
  );
}
