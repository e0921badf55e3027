import '../kit/tokens.css';
import '../kit/base.css';
import './styles/room.css';
import './styles/progress.css';
import './styles/review.css';
import './styles/camera.css';
import './styles/controls.css';
import './styles/camera-sizes.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { Session } from './session.ts';
import type { RecorderState } from './state.ts';

const room = document.getElementById('app');
const state = document.getElementById('state');
const { api } = document.documentElement.dataset;
if (room === null || state === null || api === undefined) throw new Error('This page was not made for the recorder.');

const session = new Session(api, JSON.parse(state.textContent ?? '') as RecorderState);
room.replaceChildren();
render(<App session={session} />, room);
