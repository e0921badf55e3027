import type { HomeTask } from '@foreword/contract';
import { formatName } from '../../format.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';
import { HOME } from '../../texts/home.ts';
import { formatAppointment } from './appointment.ts';

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

/** The whole card leads to the recorder: it is tapped with a thumb, in a doorway. */
function TaskCard({ task }: { task: HomeTask }) {
  const { timezone } = useSession().organization;
  const { recipient, touchpoint, appointment, deadline, state, record_url } = task;
  return (
    <a className="task" href={pathOf(record_url)}>
      <span className="task-words">
        <span className="task-name">{formatName(recipient)}</span>
        {touchpoint !== null && <span className="task-more">{touchpoint}</span>}
        {appointment !== null && (
          <span className="task-more">
            {HOME.appointment(formatAppointment(appointment.starts_at, appointment.timezone))}
          </span>
        )}
        {deadline !== null && (
          <span className="task-more">
            {HOME.until} <Time at={deadline} style="dateTime" zone={appointment?.timezone ?? timezone} /> (
            <Time at={deadline} />)
          </span>
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
