import type { HomeTask } from '@foreword/contract';
import { sayHowSoon } from '../../../kit/how-soon.ts';
import { formatName } from '../../format.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useNowMs } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { HOME } from '../../texts/home.ts';
import { formatMoment, isAnotherMoment } from './appointment.ts';

/** Below this service, whatever name it is reached by. */
export const pathOf = (url: string): string => new URL(url).pathname;

const ACTIONS: Record<HomeTask['state'], string> = {
  to_record: HOME.record,
  processing: HOME.open,
  refused: HOME.recordAgain,
};

function TaskNews({ task }: { task: HomeTask }) {
  if (task.state === 'processing') return <p className="task-news">{HOME.processing(task.progress)}</p>;
  if (task.state === 'to_record') return null;
  return (
    <p className="task-news task-bad">
      <Icon name="warn" />
      <span>{HOME.refused(task.reason ?? HOME.refusedUnknown)}</span>
    </p>
  );
}

const SOON_MS = 86_400_000;

interface MomentProps {
  at: string;
  zone: string;
  /** Gets the moment in words. */
  words: (when: string) => string;
}

/** A moment that counts, and how far away it is; within a day that is what matters. */
function Moment({ at, zone, words }: MomentProps) {
  const now = useNowMs();
  const isSoon = Date.parse(at) - now < SOON_MS;
  return (
    <span className="task-more">
      <time dateTime={at}>{words(formatMoment(at, zone, now))}</time>{' '}
      <span className={isSoon ? 'task-soon' : undefined}>({sayHowSoon(at, zone, now)})</span>
    </span>
  );
}

/** The whole card leads to the recorder: it is tapped with a thumb, in a doorway. */
function TaskCard({ task }: { task: HomeTask }) {
  const { timezone } = useSession().organization;
  const { recipient, touchpoint, appointment, deadline, state, record_url } = task;
  const zone = appointment?.timezone ?? timezone;
  return (
    <a className="task" href={pathOf(record_url)}>
      <span className="task-words">
        <span className="task-name">{formatName(recipient)}</span>
        {touchpoint !== null && <span className="task-more">{touchpoint}</span>}
        {appointment !== null && <Moment at={appointment.starts_at} zone={zone} words={HOME.appointment} />}
        {deadline !== null && isAnotherMoment(deadline, appointment) && (
          <Moment at={deadline} zone={zone} words={HOME.until} />
        )}
        <TaskNews task={task} />
      </span>
      <span className={buttonClass(state === 'processing' ? 'quiet' : 'primary', false)}>
        <Icon name="video" />
        {ACTIONS[state]}
      </span>
    </a>
  );
}

export const Tasks = ({ tasks }: { tasks: readonly HomeTask[] }) => (
  <ol className="tasks">
    {tasks.map((task) => (
      <li key={task.id}>
        <TaskCard task={task} />
      </li>
    ))}
  </ol>
);
