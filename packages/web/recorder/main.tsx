/** The member's recorder. */

import '../kit/typeface.css';
import '../kit/tokens.css';
import '../kit/base.css';
import './styles/page.css';
import './styles/review.css';
import './styles/camera.css';
import type { RecorderState } from '@foreword/contract';
import { render } from 'preact';
import { App } from './app.tsx';
import { Recorder } from './recorder.ts';

const app = document.getElementById('app');
const state = document.getElementById('state');
const { api, takes } = document.documentElement.dataset;
if (app === null || state === null || api === undefined) throw new Error('This page is not a recorder page.');

const recorder = new Recorder({ api, takes: takes ?? api }, JSON.parse(state.textContent ?? '') as RecorderState);
app.replaceChildren();
render(<App recorder={recorder} />, app);
