/** Folder: the components of the recorder's screens. */

import type { RecorderState } from '@foreword/contract';
import type { ComponentChildren } from 'preact';
import type { RecordingFlow } from '../flow.ts';
import type { Model } from '../model.ts';
import type { Recorder } from '../recorder.ts';
import { Icon, type IconName } from './icons.tsx';

/** Each screen gets all intros of this page, and the one in front. */
export interface ScreenProps {
  recorder: Recorder;
  flow: RecordingFlow;
  model: Model;
}

interface NoteProps {
  icon?: IconName;
  tone?: 'calm' | 'warn' | 'bad';
  children: ComponentChildren;
}

export const Note = ({ icon = 'note', tone = 'calm', children }: NoteProps) => (
  <p class={`note ${tone}`}>
    <Icon name={icon} />
    <span>{children}</span>
  </p>
);

interface BrandProps extends Pick<RecorderState, 'organization'> {
  children?: ComponentChildren;
}

export const Brand = ({ organization: { name, logo_url }, children }: BrandProps) => (
  <header class="brand">
    {logo_url === null ? name : <img src={logo_url} alt={name} height={28} />}
    {children}
  </header>
);

interface PageProps {
  model: Model;
  heading: string;
  /** Below the heading: one sentence, or more. */
  lead?: ComponentChildren;
  role?: 'alert' | 'status';
  children?: ComponentChildren;
}

/** A screen with a light background. */
export const Page = ({ model, heading, lead, role, children }: PageProps) => (
  <div class="page">
    <Brand organization={model.state.organization} />
    <div class="lead" role={role}>
      <h1 tabIndex={-1} id="heading">
        {heading}
      </h1>
      {typeof lead === 'string' ? <p class="body">{lead}</p> : lead}
    </div>
    {children}
  </div>
);
